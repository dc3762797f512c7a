/** What is handed over: a body for a topic, with headers. */
export interface Message {
  id: string;
  topic: string;
  body: Uint8Array;
  headers: Record<string, string>;
  attempts: number;
}

export function nextAttempt(message: Message): Message {
  return { ...message, attempts: message.attempts + 1 };
}
