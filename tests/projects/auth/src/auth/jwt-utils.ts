import { createHmac, timingSafeEqual } from "node:crypto";

export interface Claims {
  sub: string;
  sessionId: string;
  /** Time of expiry in seconds since 1970. */
  exp: number;
}

const secret = process.env.JWT_SECRET ?? "development";

/** Signs claims and gives the token in its compact form. */
export function signJwt(claims: Claims): string {
  const body = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return `${body}.${mac(body)}`;
}

/** The claims of a token, or nothing if its signature is wrong. */
export function verifyJwt(jwt: string): Claims | undefined {
  const [body = "", signature = ""] = jwt.split(".");
  const expected = mac(body);
  if (signature.length !== expected.length) return undefined;
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return undefined;
  return JSON.parse(Buffer.from(body, "base64url").toString()) as Claims;
}

function mac(body: string): string {
  return createHmac("sha256", secret).update(body).digest("base64url");
}
