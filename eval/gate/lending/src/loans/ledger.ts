import type { Loan } from './loan';

/** All loans, open and closed. */
export class LoanLedger {
  private readonly loans: Loan[] = [];

  record(loan: Loan): void {
    this.loans.push(loan);
  }

  openLoansOf(cardNumber: string): Loan[] {
    return this.loans.filter((loan) => loan.cardNumber === cardNumber && !loan.returnedAt);
  }

  overdue(now: Date): Loan[] {
    return this.loans.filter((loan) => !loan.returnedAt && loan.dueAt < now);
  }

  close(barcode: string, now: Date): Loan | undefined {
    const loan = this.loans.find((candidate) => candidate.barcode === barcode && !candidate.returnedAt);
    if (loan) loan.returnedAt = now;
    return loan;
  }
}
