import { backoffDelay } from './backoff';
import type { BoundedQueue } from './queue';
import type { DeadLetterBox } from './deadLetter';
import { nextAttempt, type Message } from './message';

export type Handler = (message: Message) => Promise<void>;

/** Takes messages from a queue and gives each to the handler of its topic. */
export class Dispatcher {
  private readonly handlers = new Map<string, Handler>();

  constructor(
    private readonly queue: BoundedQueue,
    private readonly deadLetters: DeadLetterBox,
    private readonly maxAttempts: number,
    private readonly sleep: (ms: number) => Promise<void>,
  ) {}

  subscribe(topic: string, handler: Handler): void {
    this.handlers.set(topic, handler);
  }

  async runOnce(): Promise<boolean> {
    const message = this.queue.poll();
    if (!message) return false;
    const handler = this.handlers.get(message.topic);
    if (!handler) {
      this.deadLetters.bury(message, 'no handler');
      return true;
    }
    try {
      await handler(message);
    } catch (error) {
      await this.failed(nextAttempt(message), error);
    }
    return true;
  }

  private async failed(message: Message, error: unknown): Promise<void> {
    if (message.attempts >= this.maxAttempts) {
      this.deadLetters.bury(message, String(error));
      return;
    }
    await this.sleep(backoffDelay(message.attempts));
    this.queue.offer(message);
  }
}
