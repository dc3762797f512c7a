/** The address of a picture for somebody without one. */
export function defaultAvatar(seed: string): string {
  return `/avatars/${encodeURIComponent(seed)}.svg`;
}
