/** What each member owes, in cents. */
export class FineAccount {
  private readonly balances = new Map<string, number>();

  charge(cardNumber: string, cents: number): void {
    this.balances.set(cardNumber, this.balance(cardNumber) + cents);
  }

  settle(cardNumber: string, cents: number): void {
    this.balances.set(cardNumber, Math.max(0, this.balance(cardNumber) - cents));
  }

  balance(cardNumber: string): number {
    return this.balances.get(cardNumber) ?? 0;
  }
}
