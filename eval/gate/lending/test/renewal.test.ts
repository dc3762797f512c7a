import { renewLoan } from '../src/loans/renewal';
import { HoldQueue } from '../src/holds/queue';

describe('renewLoan', () => {
  it('refuses when somebody waits for the copy', () => {
    const holds = new HoldQueue();
    holds.place({ barcode: 'b1', cardNumber: 'c2', placedAt: new Date(0), notified: false });
    const loan = { barcode: 'b1', cardNumber: 'c1', checkedOutAt: new Date(0), dueAt: new Date(0), renewals: 0 };
    expect(renewLoan(loan, { maxLoans: 1, days: 1, maxRenewals: 1 }, holds)).toEqual({ ok: false, reason: 'held' });
  });
});
