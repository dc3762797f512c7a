import type { HoldQueue } from '../holds/queue';
import { fineFor } from '../fines/fine';
import type { FineAccount } from '../fines/account';
import type { LoanLedger } from './ledger';

/** Takes a copy back: closes its loan, charges what is late, and tells who gets it next. */
export function acceptReturn(
  ledger: LoanLedger,
  fines: FineAccount,
  holds: HoldQueue,
  barcode: string,
  now: Date,
): { nextCard?: string } {
  const loan = ledger.close(barcode, now);
  if (loan) fines.charge(loan.cardNumber, fineFor(loan, now));
  return { nextCard: holds.next(barcode) };
}
