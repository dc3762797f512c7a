import type { LogRecord } from './compaction';

const VERSION = 1;

/** The state as text, with a version that a reader checks. */
export function serialize(records: LogRecord[]): string {
  const rows = records.map((record) => [record.key, Buffer.from(record.value ?? []).toString('base64')]);
  return JSON.stringify({ version: VERSION, rows });
}

export function deserialize(text: string): LogRecord[] {
  const parsed = JSON.parse(text) as { version: number; rows: Array<[string, string]> };
  if (parsed.version !== VERSION) throw new Error(`unsupported version ${parsed.version}`);
  return parsed.rows.map(([key, value]) => ({ key, value: Buffer.from(value, 'base64') }));
}
