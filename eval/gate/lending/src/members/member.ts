/** Somebody with a library card. */
export interface Member {
  cardNumber: string;
  name: string;
  email: string;
  kind: MemberKind;
  blockedSince?: Date;
}

export type MemberKind = 'adult' | 'child' | 'staff';
