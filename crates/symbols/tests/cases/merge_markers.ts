export function before() {
  return 1;
}
<<<<<<< HEAD
export const price = 10;
=======
export const price = 12;
>>>>>>> feature
export function after() {
  return 2;
}
