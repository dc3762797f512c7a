import { signJwt, type Claims } from "./jwt-utils";
import { createSession } from "./session-manager";

/** Seconds until an access token reaches its expiry. */
export const ACCESS_TOKEN_EXPIRY_SECONDS = 15 * 60;
/** Seconds until a refresh token reaches its expiry. */
export const REFRESH_TOKEN_EXPIRY_SECONDS = 14 * 24 * 3600;

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** Issues a pair of authentication tokens. */
export async function issueTokens(userId: string): Promise<TokenPair> {
  const session = await createSession(userId);
  const now = Math.floor(Date.now() / 1000);
  return {
    accessToken: signJwt({ sub: userId, sessionId: session.id, exp: now + ACCESS_TOKEN_EXPIRY_SECONDS }),
    refreshToken: signJwt({ sub: userId, sessionId: session.id, exp: now + REFRESH_TOKEN_EXPIRY_SECONDS }),
  };
}

/** Whether the expiry of a token lies in the past. */
export function isExpired(claims: Claims, now = Date.now()): boolean {
  return claims.exp < now;
}
