import { CircuitBreaker } from '../../core/src/breaker';
import { readConfig } from './config';
import { signRequest } from './signature';

export interface Transport {
  post(url: string, body: Uint8Array, headers: Record<string, string>, timeoutMs: number): Promise<number>;
}

/** Posts bodies to a peer, signed, and gives up on a peer that does not answer. */
export class HttpClient {
  private readonly breaker = new CircuitBreaker(5, 10_000);

  constructor(
    private readonly transport: Transport,
    private readonly secret: string,
  ) {}

  async deliver(url: string, body: Uint8Array, now: number): Promise<boolean> {
    if (!this.breaker.allows(now)) return false;
    const headers = { 'x-signature': signRequest(body, this.secret) };
    const status = await this.transport.post(url, body, headers, readConfig().timeoutMs);
    if (status >= 500) this.breaker.failed(now);
    else this.breaker.succeeded();
    return status < 300;
  }
}
