import type { Hold } from './hold';

/** Days that a copy is kept behind the counter for the member who asked for it. */
export const PICKUP_DAYS = 7;

export function pickupExpired(hold: Hold, notifiedAt: Date, now: Date): boolean {
  return hold.notified && now.getTime() - notifiedAt.getTime() > PICKUP_DAYS * 86_400_000;
}
