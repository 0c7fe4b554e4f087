/** Shows the log of the service as it is written: what is there first, then what comes, through every rotation. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { followFile, readLines } from './follow-file.ts';
import type { LogLine } from './log-line.ts';
import { readLogLine } from './log-line.ts';

export interface Tail {
  /** `gateway.log` with its folder. */
  readonly file: string;
  /** Of what is there already, at most the last so many. */
  readonly last: number;
  /** What was put aside is looked through, too. */
  readonly withPutAside: boolean;
  /** Ends with what is there. */
  readonly isOnce: boolean;
  readonly isWanted: (line: LogLine) => boolean;
  /** `text`: as it is written. What is no line of ours has no `line`. */
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
    // An output that is no line of the log may be why a process ended: it belongs to whatever is looked for.
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

/** The oldest first: their names end with when that was. */
async function putAside(file: string): Promise<readonly string[]> {
  const folder = dirname(file);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${basename(file)}.`))
    .toSorted()
    .map((name) => join(folder, name));
}
