import type { MemberKind } from '../members/member';

/** What a kind of member may borrow, and for how long. */
export interface LoanPolicy {
  maxLoans: number;
  days: number;
  maxRenewals: number;
}

const POLICIES: Record<MemberKind, LoanPolicy> = {
  adult: { maxLoans: 8, days: 28, maxRenewals: 2 },
  child: { maxLoans: 4, days: 28, maxRenewals: 3 },
  staff: { maxLoans: 20, days: 90, maxRenewals: 5 },
};

export function loanPolicy(kind: MemberKind): LoanPolicy {
  return POLICIES[kind];
}
