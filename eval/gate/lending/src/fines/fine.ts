import type { Loan } from '../loans/loan';

const CENTS_PER_DAY = 20;
const MAX_CENTS = 800;

/** What a late copy costs, in cents; never more than the cap. */
export function fineFor(loan: Loan, now: Date): number {
  const lateDays = Math.floor((now.getTime() - loan.dueAt.getTime()) / 86_400_000);
  return Math.min(Math.max(lateDays, 0) * CENTS_PER_DAY, MAX_CENTS);
}
