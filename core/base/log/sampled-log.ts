/**
 * A sampled log, for events that outsiders can cause as often as they like: it writes the first few lines of a kind in
 * a time span, then only their number.
 */
import type { Logger } from 'pino';

type Level = 'info' | 'warn' | 'error';

export interface SampledLog {
  /** `kind`: lines of one kind are counted together. Never use a value that an outsider can invent. */
  info(kind: string, fields: object, message: string): void;
  warn(kind: string, fields: object, message: string): void;
  error(kind: string, fields: object, message: string): void;
}

/** The maximum number of lines of one kind in one time span. */
const linesPerSpan = 20;
const spanMs = 10_000;

export function createSampledLog(log: Pick<Logger, Level>): SampledLog {
  const kinds = new Map<string, { count: number; readonly message: string; readonly level: Level }>();
  let timer: NodeJS.Timeout | undefined;

  function write(level: Level, kind: string, fields: object, message: string): void {
    const seen = kinds.get(kind) ?? { count: 0, message, level };
    kinds.set(kind, seen);
    seen.count += 1;
    if (seen.count <= linesPerSpan) log[level](fields, message);
    timer ??= setTimeout(summarise, spanMs).unref();
  }

  function summarise(): void {
    timer = undefined;
    for (const [kind, { count, message, level }] of kinds) {
      const unlogged = count - linesPerSpan;
      if (unlogged > 0) log[level]({ kind, count, unlogged }, `${message} (not every one is logged)`);
    }
    kinds.clear();
  }

  return {
    info: (kind, fields, message) => write('info', kind, fields, message),
    warn: (kind, fields, message) => write('warn', kind, fields, message),
    error: (kind, fields, message) => write('error', kind, fields, message),
  };
}
