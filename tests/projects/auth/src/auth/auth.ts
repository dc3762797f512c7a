import { issueTokens, isExpired, type TokenPair } from "./tokens";
import { refreshSession, type Session } from "./session-manager";
import { verifyJwt } from "./jwt-utils";
import type { User } from "../users/user";

/** The result of checking the authentication of a request. */
export interface AuthResult {
  user?: User;
  session?: Session;
  reason?: "missing-token" | "expired-token" | "invalid-token";
}

/** Authenticates a request by its bearer token and renews the session when the token is about to expire. */
export async function authenticate(header: string | undefined): Promise<AuthResult> {
  if (!header?.startsWith("Bearer ")) return { reason: "missing-token" };
  const token = header.slice("Bearer ".length);
  const claims = verifyJwt(token);
  if (!claims) return { reason: "invalid-token" };
  if (isExpired(claims)) return { reason: "expired-token" };
  const session = await refreshSession(claims.sessionId);
  return { session };
}

/** Signs a user in and hands out an access token and a refresh token. */
export async function signIn(user: User): Promise<TokenPair> {
  return issueTokens(user.id);
}
