type State = 'closed' | 'open' | 'half-open';

/** Stops calling a peer that keeps failing, and tries it carefully after a while. */
export class CircuitBreaker {
  private state: State = 'closed';
  private failures = 0;
  private openedAt = 0;

  constructor(
    private readonly threshold: number,
    private readonly cooldownMs: number,
  ) {}

  allows(now: number): boolean {
    if (this.state === 'open' && now - this.openedAt >= this.cooldownMs) this.state = 'half-open';
    return this.state !== 'open';
  }

  succeeded(): void {
    this.state = 'closed';
    this.failures = 0;
  }

  failed(now: number): void {
    this.failures += 1;
    if (this.failures >= this.threshold || this.state === 'half-open') {
      this.state = 'open';
      this.openedAt = now;
    }
  }
}
