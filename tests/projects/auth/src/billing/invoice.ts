export interface InvoiceLine {
  label: string;
  cents: number;
}

/** Sum of the lines of an invoice in cents. */
export function invoiceTotal(lines: InvoiceLine[]): number {
  return lines.reduce((sum, line) => sum + line.cents, 0);
}
