import type { Hold } from './hold';

/** Who waits for which copy, first come first served. */
export class HoldQueue {
  private readonly holds: Hold[] = [];

  place(hold: Hold): void {
    this.holds.push(hold);
    this.holds.sort((a, b) => a.placedAt.getTime() - b.placedAt.getTime());
  }

  waitingFor(barcode: string): Hold[] {
    return this.holds.filter((hold) => hold.barcode === barcode);
  }

  next(barcode: string): string | undefined {
    return this.waitingFor(barcode)[0]?.cardNumber;
  }

  cancel(barcode: string, cardNumber: string): void {
    const place = this.holds.findIndex((hold) => hold.barcode === barcode && hold.cardNumber === cardNumber);
    if (place >= 0) this.holds.splice(place, 1);
  }
}
