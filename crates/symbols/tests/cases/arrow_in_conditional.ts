declare const fast: boolean;
const limit = 3;
export const pick = fast ? (limit) : (n: number) => n * 2;
export const chain = fast ? limit > 2 ? (limit) : (x: number): number => x : null;
export function stillHere() {
  return pick;
}
