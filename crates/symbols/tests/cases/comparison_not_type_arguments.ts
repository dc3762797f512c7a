export class Scheduler {
  constructor(private now: number, private due: number) {
    if (now > 2 && due < 1) {
      this.now = 0;
    }
  }
  tick() {
    return [1, 2].filter((n) => n < this.due && this.now > n);
  }
}
export const isLate = (a: number, b: number) => (a < b ? "late" : "ok");
export function afterLate() {}
