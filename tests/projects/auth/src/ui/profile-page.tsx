import { defaultAvatar } from "../users/avatar";
import { initials, type User } from "../users/user";

export function ProfilePage({ user }: { user: User }) {
  return (
    <main>
      <img alt={initials(user)} src={user.avatarUrl ?? defaultAvatar(user.id)} />
      <h1>{user.displayName}</h1>
    </main>
  );
}
