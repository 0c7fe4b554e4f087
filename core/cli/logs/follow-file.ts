/** Follows the lines of a file that other processes append to, rotate and recreate. */
import { open, stat, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { StringDecoder } from 'node:string_decoder';

export interface Follow {
  readonly signal: AbortSignal;
  /** How often the file is polled. */
  readonly pollMs?: number;
  /** Called once all existing lines were returned and the file is open: all further lines are new. */
  readonly onCaughtUp?: () => void;
}

/** A rotated file is still written to until every process has opened the new one. */
const lingerMs = 3000;
const chunkBytes = 1 << 16;

/**
 * Yields whole lines in order, from the start of the file until the signal is aborted. Waits for a file that does not
 * exist yet.
 */
export async function* followFile(path: string, follow: Follow): AsyncGenerator<string> {
  const { signal, pollMs = 250, onCaughtUp } = follow;
  let open: Reader[] = [];
  let isCaughtUp = false;
  try {
    while (!signal.aborted) {
      open = await withNewest(path, open);
      for (const reader of open) yield* reader.lines();
      if (!isCaughtUp) onCaughtUp?.();
      isCaughtUp = true;
      open = await withoutEnded(open);
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await Promise.all(open.map(async (reader) => reader.close()));
  }
}

/** The whole content of a file; empty if it does not exist. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const reader = await openReader(path);
  if (!reader) return;
  try {
    yield* reader.lines();
  } finally {
    await reader.close();
  }
}

interface Reader {
  readonly inode: number;
  /** When another file got its name. */
  replacedAt?: number;
  lines(): AsyncGenerator<string>;
  close(): Promise<void>;
}

async function withNewest(path: string, open: readonly Reader[]): Promise<Reader[]> {
  const found = await stat(path).catch(() => undefined);
  const current = open.at(-1);
  if (!found || found.ino === current?.inode) return [...open];
  if (current) current.replacedAt = performance.now();
  const next = await openReader(path);
  return next ? [...open, next] : [...open];
}

async function withoutEnded(open: readonly Reader[]): Promise<Reader[]> {
  const isOver = ({ replacedAt }: Reader): boolean =>
    replacedAt !== undefined && performance.now() - replacedAt > lingerMs;
  const ended = open.filter(isOver);
  await Promise.all(ended.map(async (reader) => reader.close()));
  return open.filter((reader) => !ended.includes(reader));
}

async function openReader(path: string): Promise<Reader | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return file && toReader(file, (await file.stat()).ino);
}

function toReader(file: FileHandle, inode: number): Reader {
  const decoder = new StringDecoder('utf8');
  const chunk = Buffer.alloc(chunkBytes);
  let position = 0;
  let begun = '';

  return {
    inode,
    async *lines() {
      // The file was truncated in place, as some tools do.
      if ((await file.stat()).size < position) position = 0;
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        const parts = (begun + decoder.write(chunk.subarray(0, bytesRead))).split('\n');
        begun = parts.pop() ?? '';
        yield* parts;
      }
    },
    close: async () => file.close(),
  };
}
