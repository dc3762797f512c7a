import type { FineAccount } from './account';

/** Forgives what a member owes, with a reason for the books. */
export function waiveFine(account: FineAccount, cardNumber: string, reason: string): { cents: number; reason: string } {
  const cents = account.balance(cardNumber);
  account.settle(cardNumber, cents);
  return { cents, reason };
}
