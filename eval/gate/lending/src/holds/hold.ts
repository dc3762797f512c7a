/** A member's place in the line for a copy. */
export interface Hold {
  barcode: string;
  cardNumber: string;
  placedAt: Date;
  notified: boolean;
}
