import type { Member } from './member';

/** Finds members by the number on their card. */
export class MemberRegistry {
  private readonly members = new Map<string, Member>();

  enroll(member: Member): void {
    if (this.members.has(member.cardNumber)) {
      throw new Error(`card ${member.cardNumber} is taken`);
    }
    this.members.set(member.cardNumber, member);
  }

  byCard(cardNumber: string): Member | undefined {
    return this.members.get(cardNumber);
  }

  /** Keeps a member from borrowing until unblocked. */
  block(cardNumber: string, since: Date): void {
    const member = this.byCard(cardNumber);
    if (member) member.blockedSince = since;
  }

  unblock(cardNumber: string): void {
    const member = this.byCard(cardNumber);
    if (member) delete member.blockedSince;
  }
}
