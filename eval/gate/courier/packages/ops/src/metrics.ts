/** Counters by name, for the monitoring page. */
export class Metrics {
  private readonly counters = new Map<string, number>();

  increment(name: string, by = 1): void {
    this.counters.set(name, (this.counters.get(name) ?? 0) + by);
  }

  render(): string {
    return [...this.counters].map(([name, value]) => `${name} ${value}`).sort().join('\n');
  }
}
