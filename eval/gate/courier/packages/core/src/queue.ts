import type { Message } from './message';

/** First in, first out, with a bound: a full queue pushes back on its producers. */
export class BoundedQueue {
  private readonly items: Message[] = [];

  constructor(private readonly capacity: number) {}

  offer(message: Message): boolean {
    if (this.items.length >= this.capacity) return false;
    this.items.push(message);
    return true;
  }

  poll(): Message | undefined {
    return this.items.shift();
  }

  get size(): number {
    return this.items.length;
  }
}
