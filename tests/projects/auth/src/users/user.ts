/** A person with an account. */
export interface User {
  id: string;
  email: string;
  displayName: string;
  avatarUrl?: string;
  /** When the person last passed authentication. */
  lastLogin?: Date;
}

export function initials(user: User): string {
  return user.displayName
    .split(" ")
    .map((part) => part.charAt(0))
    .join("");
}
