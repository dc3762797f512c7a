import { gzipSync } from "node:zlib";

export function compress() {
  return (body: Buffer) => gzipSync(body);
}
