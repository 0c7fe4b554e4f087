/** Shows the log of the service while it is written: existing lines first, then new lines, across rotations. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { followFile, readLines } from './follow-file.ts';
import type { LogLine } from './log-line.ts';
import { readLogLine } from './log-line.ts';

export interface Tail {
  /** The path of `gateway.log`. */
  readonly file: string;
  /** Maximum number of existing lines to show. */
  readonly last: number;
  /** Also search rotated files. */
  readonly withPutAside: boolean;
  /** Stop after the existing lines. */
  readonly isOnce: boolean;
  readonly isWanted: (line: LogLine) => boolean;
  /** `text`: the line as it is written. Text that is not a line of our log has no `line`. */
  readonly show: (text: string, line: LogLine | undefined) => void;
  readonly signal: AbortSignal;
  readonly pollMs?: number;
}

export async function tailLog({
  file,
  last,
  withPutAside,
  isOnce,
  isWanted,
  show,
  signal,
  pollMs,
}: Tail): Promise<void> {
  const kept: (readonly [string, LogLine | undefined])[] = [];
  let isLive = false;
  const take = (text: string): void => {
    const line = readLogLine(text);
    // Output that is not a log line may be the reason why a process ended, so it matches every search.
    if (line && !isWanted(line)) return;
    if (isLive) return show(text, line);
    kept.push([text, line]);
    if (kept.length > 2 * last) kept.splice(0, kept.length - last);
  };
  const showKept = (): void => {
    for (const [text, line] of kept.splice(0).slice(-last)) show(text, line);
    isLive = true;
  };

  for (const older of withPutAside ? await putAside(file) : []) for await (const text of readLines(older)) take(text);
  if (isOnce) {
    for await (const text of readLines(file)) take(text);
    return showKept();
  }
  const follow = { signal, onCaughtUp: showKept, ...(pollMs !== undefined && { pollMs }) };
  for await (const text of followFile(file, follow)) take(text);
}

/** Oldest first: the names of rotated files end with their time. */
async function putAside(file: string): Promise<readonly string[]> {
  const folder = dirname(file);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${basename(file)}.`))
    .toSorted()
    .map((name) => join(folder, name));
}
