/** The log: pino, JSON lines. A second line of defence keeps card data and secrets out of it. */
import { openSync } from 'node:fs';
import { pino, type DestinationStream, type Logger, type LoggerOptions, type StreamEntry } from 'pino';
import { describeError, hideSensitive, maskText } from './log-masks.ts';

/** Where lines go. */
export interface LogTarget {
  /** Appended to; lines of several processes do not mix. */
  readonly file?: string | undefined;
  readonly stderr?: boolean | undefined;
  readonly stdout?: boolean | undefined;
}

export interface LogSetup {
  readonly level: string;
  /** Of this process, such as `worker-1`. */
  readonly name: string;
  readonly destination: LogTarget | DestinationStream;
}

/** Each line: time in ISO 8601, the process, and what is said; an error as type, message, code, stack and cause. */
export function createLog({ level, name, destination }: LogSetup): Logger {
  const options: LoggerOptions = {
    level,
    base: { process: name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    // pino's own would write every member of an error, after the masks.
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

/** The files that this process writes to, each with what opens it anew. */
const openFiles = new Set<() => void>();

/** After the files were put aside: from now on lines go to new ones of the same names. */
export function reopenLogs(): void {
  for (const reopen of openFiles) reopen();
}

/** For its owner alone. */
const mode = 0o600;

/** Opened before the first line, so that an early exit can write what it said. */
function openFile(path: string): number {
  return openSync(path, 'a', mode);
}

/** Written together: what comes within this time, or fills so much. */
const togetherMs = 50;
const togetherBytes = 4096;

function open({ file, stderr, stdout }: LogTarget): DestinationStream {
  // In the background, many lines at a time: who makes us log a lot must not hold up everybody else. What an exit finds
  // unwritten is written then; only a process that is killed may lose the lines of the last moment.
  const entry = (dest: string | number): StreamEntry => {
    const fd = typeof dest === 'string' ? openFile(dest) : dest;
    const stream = pino.destination({
      dest: fd,
      mode,
      sync: false,
      minLength: togetherBytes,
      periodicFlush: togetherMs,
    });
    // A full disk must not end a payment gateway, and there is nowhere left to say so.
    stream.on('error', () => undefined);
    if (typeof dest === 'string') {
      // Of what we opened it knows only the number, and reopens only what has a path.
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
