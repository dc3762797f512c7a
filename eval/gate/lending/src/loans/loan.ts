/** A copy in the hands of a member. */
export interface Loan {
  barcode: string;
  cardNumber: string;
  checkedOutAt: Date;
  dueAt: Date;
  renewals: number;
  returnedAt?: Date;
}
