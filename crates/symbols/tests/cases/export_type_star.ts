export type * as wire from "./wire-types";
export function encodeFrame(payload: string): Uint8Array {
  return new TextEncoder().encode(payload);
}
