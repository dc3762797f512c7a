export type Upload = import("node:fs").ReadStream & {
  checksum(): string;
};
export type Handler<K extends string> = K extends `on${infer Name}` ? (e: Name) => void : never;
export function isUpload(x: unknown): x is Upload {
  return !!x;
}
