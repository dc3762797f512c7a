export const canvas = <HTMLCanvasElement>document.getElementById("plot");
export const sizes = <const>["s", "m"];
export const identity = <T>(value: T): T => value;
export function draw() {
  return canvas;
}
