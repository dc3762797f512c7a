import type { HoldQueue } from '../holds/queue';
import type { Loan } from './loan';
import type { LoanPolicy } from './policy';

export type RenewalResult = { ok: true; loan: Loan } | { ok: false; reason: 'limit' | 'held' };

/** Moves the due date on, unless somebody waits for the copy or the limit is reached. */
export function renewLoan(loan: Loan, policy: LoanPolicy, holds: HoldQueue): RenewalResult {
  if (loan.renewals >= policy.maxRenewals) return { ok: false, reason: 'limit' };
  if (holds.waitingFor(loan.barcode).length > 0) return { ok: false, reason: 'held' };
  const dueAt = new Date(loan.dueAt.getTime() + policy.days * 86_400_000);
  return { ok: true, loan: { ...loan, dueAt, renewals: loan.renewals + 1 } };
}
