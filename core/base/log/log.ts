/** The log: JSON lines by pino. Masks are a second line of defence that keeps card data and secrets out of it. */
import { openSync } from 'node:fs';
import { pino, type DestinationStream, type Logger, type LoggerOptions, type StreamEntry } from 'pino';
import { describeError, hideSensitive, maskText } from './log-masks.ts';

/** The destination of log lines. */
export interface LogTarget {
  /** A file to append to. Lines of several processes do not mix. */
  readonly file?: string | undefined;
  readonly stderr?: boolean | undefined;
  readonly stdout?: boolean | undefined;
}

export interface LogOptions {
  readonly level: string;
  /** The name of this process, for example `worker-1`. */
  readonly name: string;
  readonly destination: LogTarget | DestinationStream;
}

/**
 * Creates a logger. Each line has the time in ISO 8601, the process and the message; an error has type, message, code,
 * stack and cause.
 */
export function createLog({ level, name, destination }: LogOptions): Logger {
  const options: LoggerOptions = {
    level,
    base: { process: name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    // pino's own serializer would write every member of an error, after the masks.
    serializers: { err: (value: unknown) => (value instanceof Error ? describeError(value) : value) },
    formatters: {
      level: (label) => ({ level: label }),
      log: hideSensitive,
    },
    hooks: {
      logMethod(args, method) {
        Reflect.apply(
          method,
          this,
          args.map((part: unknown) => (typeof part === 'string' ? maskText(part) : part)),
        );
      },
    },
  };
  return pino(options, 'write' in destination ? destination : open(destination));
}

/** The files that this process writes to, each with a function that opens it again. */
const openFiles = new Set<() => void>();

/** Call after a log rotation has renamed the files: from now on lines go to new files of the same names. */
export function reopenLogs(): void {
  for (const reopen of openFiles) reopen();
}

/** Only the owner of the file may read and write it. */
const mode = 0o600;

/** Opened synchronously, so that an early exit can still write its lines. */
function openFile(path: string): number {
  return openSync(path, 'a', mode);
}

/** Lines are collected for this time, or until they fill this many bytes. */
const togetherMs = 50;
const togetherBytes = 4096;

function open({ file, stderr, stdout }: LogTarget): DestinationStream {
  // Write in the background, many lines at a time, so that a client that causes many log lines does not slow down other
  // requests. Unwritten lines are written on exit; only a killed process may lose the lines of the last moment.
  const entry = (dest: string | number): StreamEntry => {
    const fd = typeof dest === 'string' ? openFile(dest) : dest;
    const stream = pino.destination({ dest: fd, mode, sync: false, minLength: togetherBytes });
    flushAfterLines(stream);
    // A full disk must not stop a payment gateway, and there is nowhere else to report it.
    stream.on('error', () => undefined);
    if (typeof dest === 'string') {
      // Pino knows only the file descriptor, and reopens only destinations that have a path.
      Object.assign(stream, { file: dest });
      openFiles.add(() => stream.reopen(dest));
    }
    return { level: 'trace', stream };
  };
  const entries = [
    ...(file === undefined ? [] : [entry(file)]),
    ...(stdout ? [entry(1)] : []),
    ...(stderr ? [entry(2)] : []),
  ];
  const [only] = entries;
  return entries.length === 1 ? only!.stream : pino.multistream(entries);
}

/**
 * Flushes the stream until every line is written. Pino's own `periodicFlush` also runs without lines: an empty write
 * every 50 ms was a third of the CPU time of an idle process.
 */
function flushAfterLines(stream: ReturnType<typeof pino.destination>): void {
  const write = stream.write.bind(stream);
  let unwrittenBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    timer ??= setTimeout(flush, togetherMs).unref();
  };
  const flush = (): void => {
    timer = undefined;
    if (unwrittenBytes <= 0) return;
    stream.flush();
    wait(); // Lines that come during a write stay in the buffer, and a write may fail.
  };
  stream.on('write', (bytes: number) => (unwrittenBytes -= bytes));
  stream.write = (line) => {
    unwrittenBytes += Buffer.byteLength(line);
    wait();
    return write(line);
  };
}
