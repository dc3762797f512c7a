export function parseTtl(value: number): number;
export function parseTtl(value: string): number;
export function parseTtl(value: number | string): number {
  return typeof value === "number" ? value : Number.parseInt(value, 10);
}
export class Cache {
  get(key: string): string;
  get(key: string, fallback: string): string;
  get(key: string, fallback = ""): string {
    return key || fallback;
  }
}
