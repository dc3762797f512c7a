/** Sends a text to a member. */
export interface Mailer {
  send(cardNumber: string, text: string): Promise<void>;
}

/** Keeps what would have been sent; for development. */
export class OutboxMailer implements Mailer {
  readonly outbox: Array<{ cardNumber: string; text: string }> = [];

  async send(cardNumber: string, text: string): Promise<void> {
    this.outbox.push({ cardNumber, text });
  }
}
