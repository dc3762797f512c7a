import type { Member } from './member';

/** A copy of the member for exports, without what identifies the person. */
export function anonymize(member: Member): Pick<Member, 'kind'> {
  return { kind: member.kind };
}

/** Hides all of an address but its first letter and its domain. */
export function maskEmail(email: string): string {
  const [local = '', domain = ''] = email.split('@');
  return `${local.slice(0, 1)}***@${domain}`;
}
