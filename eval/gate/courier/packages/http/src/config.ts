export interface HttpConfig {
  timeoutMs: number;
  maxBodyBytes: number;
  allowedHosts: string[];
}

const DEFAULTS: HttpConfig = { timeoutMs: 5_000, maxBodyBytes: 1_048_576, allowedHosts: [] };

let current: HttpConfig = DEFAULTS;

export function configure(overrides: Partial<HttpConfig>): void {
  current = { ...DEFAULTS, ...overrides };
}

export function readConfig(): HttpConfig {
  return current;
}
