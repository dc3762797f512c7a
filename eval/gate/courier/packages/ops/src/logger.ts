export type Level = 'debug' | 'info' | 'warn' | 'error';

const ORDER: Level[] = ['debug', 'info', 'warn', 'error'];

/** Writes lines of the chosen level and above; values of secret keys are redacted. */
export class Logger {
  constructor(
    private readonly level: Level,
    private readonly write: (line: string) => void,
  ) {}

  log(level: Level, text: string, fields: Record<string, string> = {}): void {
    if (ORDER.indexOf(level) < ORDER.indexOf(this.level)) return;
    const shown = Object.entries(fields).map(([key, value]) => `${key}=${/secret|token/.test(key) ? '[redacted]' : value}`);
    this.write([level, text, ...shown].join(' '));
  }
}
