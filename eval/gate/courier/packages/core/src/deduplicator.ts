/** Remembers the ids of the last messages, so that one that arrives twice is handled once. */
export class Deduplicator {
  private readonly seen = new Set<string>();

  constructor(private readonly memory: number) {}

  isDuplicate(id: string): boolean {
    if (this.seen.has(id)) return true;
    this.seen.add(id);
    if (this.seen.size > this.memory) {
      const [oldest] = this.seen;
      if (oldest !== undefined) this.seen.delete(oldest);
    }
    return false;
  }
}
