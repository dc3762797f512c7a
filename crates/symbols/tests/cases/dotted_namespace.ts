export namespace Billing.Invoices {
  export interface Line {
    cents: number;
  }
  export function total(lines: Line[]): number {
    return lines.reduce((sum, l) => sum + l.cents, 0);
  }
  namespace Internal {
    export const taxRate = 0.2;
  }
}
