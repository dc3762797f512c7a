import type { LoanLedger } from '../loans/ledger';
import type { Mailer } from './mailer';
import { renderNotice } from './templates';

/** Writes to everybody whose copy is late. */
export async function sendOverdueReminders(ledger: LoanLedger, mailer: Mailer, now: Date): Promise<number> {
  const late = ledger.overdue(now);
  for (const loan of late) {
    await mailer.send(loan.cardNumber, renderNotice('overdue', { barcode: loan.barcode }));
  }
  return late.length;
}
