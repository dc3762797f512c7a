import { createHmac, timingSafeEqual } from 'node:crypto';

/** Proves to the receiver who sent a body. */
export function signRequest(body: Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Compares without telling by its duration how much of a forged value was right. */
export function verifySignature(body: Uint8Array, secret: string, given: string): boolean {
  const expected = Buffer.from(signRequest(body, secret));
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
