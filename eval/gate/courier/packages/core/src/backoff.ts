const BASE_MS = 100;
const CEILING_MS = 30_000;

/** Milliseconds before the next attempt: doubles each time, up to a ceiling. */
export function backoffDelay(attempts: number): number {
  return Math.min(BASE_MS * 2 ** attempts, CEILING_MS);
}

/** Spreads delays, so that many clients do not come back at the same moment. */
export function withJitter(delay: number, random: () => number): number {
  return delay / 2 + (delay / 2) * random();
}
