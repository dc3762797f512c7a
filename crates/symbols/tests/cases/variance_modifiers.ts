export interface Sink<in T> {
  push(item: T): void;
}
export class Channel<in out T> {
  constructor(private readonly buffer: T[]) {}
  drain(): T[] {
    return this.buffer.splice(0);
  }
}
export function openChannel<T>(): Channel<T> {
  return new Channel<T>([]);
}
