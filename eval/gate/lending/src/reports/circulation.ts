import type { Loan } from '../loans/loan';

/** How often each copy went out in a year, most wanted first. */
export function circulationByCopy(loans: Loan[], year: number): Array<[string, number]> {
  const counts = new Map<string, number>();
  for (const loan of loans) {
    if (loan.checkedOutAt.getFullYear() !== year) continue;
    counts.set(loan.barcode, (counts.get(loan.barcode) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}
