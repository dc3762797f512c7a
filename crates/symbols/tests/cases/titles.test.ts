import { describe, it, expect } from "vitest";
describe("throttle", () => {
  const makeClock = () => ({ now: 0 });
  it("drops the third call", () => {
    expect(makeClock().now).toBe(0);
  });
});
