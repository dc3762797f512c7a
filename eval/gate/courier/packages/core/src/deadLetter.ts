import type { Message } from './message';

/** Messages that nobody could take, kept with the reason for a person to look at. */
export class DeadLetterBox {
  private readonly letters: Array<{ message: Message; reason: string }> = [];

  bury(message: Message, reason: string): void {
    this.letters.push({ message, reason });
  }

  /** Gives all letters of a topic back to be tried again. */
  exhume(topic: string): Message[] {
    const back = this.letters.filter((letter) => letter.message.topic === topic);
    for (const letter of back) this.letters.splice(this.letters.indexOf(letter), 1);
    return back.map((letter) => letter.message);
  }
}
