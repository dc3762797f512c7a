import type { Catalog } from '../catalog/catalog';
import type { MemberRegistry } from '../members/registry';
import { loanPolicy } from './policy';
import type { Loan } from './loan';
import type { LoanLedger } from './ledger';

export class CheckoutRefused extends Error {}

/** Hands a copy to a member, unless a rule speaks against it. */
export function checkout(
  catalog: Catalog,
  registry: MemberRegistry,
  ledger: LoanLedger,
  request: { barcode: string; cardNumber: string; now: Date },
): Loan {
  const member = registry.byCard(request.cardNumber);
  if (!member) throw new CheckoutRefused('unknown card');
  if (member.blockedSince) throw new CheckoutRefused('the card is blocked');
  if (!catalog.findCopy(request.barcode)) throw new CheckoutRefused('unknown barcode');
  const policy = loanPolicy(member.kind);
  if (ledger.openLoansOf(member.cardNumber).length >= policy.maxLoans) {
    throw new CheckoutRefused('too many books at once');
  }
  const dueAt = new Date(request.now.getTime() + policy.days * 86_400_000);
  const loan: Loan = { barcode: request.barcode, cardNumber: member.cardNumber, checkedOutAt: request.now, dueAt, renewals: 0 };
  ledger.record(loan);
  return loan;
}
