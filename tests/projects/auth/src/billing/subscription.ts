import { invoiceTotal, type InvoiceLine } from "./invoice";

/** A plan that somebody pays for every month. */
export class Subscription {
  constructor(
    readonly plan: string,
    private readonly lines: InvoiceLine[],
  ) {}

  monthlyCents(): number {
    return invoiceTotal(this.lines);
  }
}
