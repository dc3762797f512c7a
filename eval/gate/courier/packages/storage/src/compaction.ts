/** A record of the append-only log; a tombstone has no value. */
export interface LogRecord {
  key: string;
  value?: Uint8Array;
}

/** Drops records that a later one replaces, and the tombstones themselves. */
export function compact(log: LogRecord[]): LogRecord[] {
  const last = new Map<string, LogRecord>();
  for (const record of log) {
    last.delete(record.key);
    last.set(record.key, record);
  }
  return [...last.values()].filter((record) => record.value !== undefined);
}
