import type { Store } from './store';

/** Keeps the values used last in memory, and evicts the one unused for longest. */
export class LruCache {
  private readonly entries = new Map<string, Uint8Array>();

  constructor(
    private readonly store: Store,
    private readonly capacity: number,
  ) {}

  async get(key: string): Promise<Uint8Array | undefined> {
    const known = this.entries.get(key);
    if (known) {
      this.touch(key, known);
      return known;
    }
    const value = await this.store.get(key);
    if (value) this.touch(key, value);
    return value;
  }

  private touch(key: string, value: Uint8Array): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.capacity) {
      const [eldest] = this.entries.keys();
      if (eldest !== undefined) this.entries.delete(eldest);
    }
  }
}
