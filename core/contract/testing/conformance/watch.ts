/**
 * Observes what an adapter does in addition to its answers: which comparisons it uses, whether it makes network calls,
 * and what it prints.
 */
import crypto from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import zlib from 'node:zlib';

type Callable = (...given: unknown[]) => unknown;

/** Replaces members while some work runs, in every module that imported them by name. */
async function withReplacedMembers<T>(
  members: readonly (readonly [holder: object, name: string, make: (original: Callable) => Callable])[],
  work: () => Promise<T>,
): Promise<T> {
  const undo = members.map(([holder, name, make]) => {
    const holds = holder as Record<string, Callable>;
    const own = Object.getOwnPropertyDescriptor(holds, name);
    const original = holds[name]!;
    holds[name] = make(original.bind(holder));
    return () => {
      if (own) Object.defineProperty(holds, name, own);
      else delete holds[name];
    };
  });
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    for (const restore of undo) restore();
    syncBuiltinESMExports();
  }
}

/** Counts the calls of a function that is about to be replaced. */
function counter() {
  let calls = 0;
  return {
    calls: () => calls,
    count:
      (original: Callable): Callable =>
      (...given) => {
        calls += 1;
        return original(...given);
      },
  };
}

/** The number of CRC-32 checksums that some work made with `node:zlib`. */
export async function countChecksums(work: () => Promise<unknown>): Promise<number> {
  const { calls, count } = counter();
  await withReplacedMembers([[zlib, 'crc32', count]], work);
  return calls();
}

/** The number of proofs in constant time (or by a cipher's own tag) that some work made. */
export async function countProofs(work: () => Promise<unknown>): Promise<number> {
  const { calls, count } = counter();
  const { subtle } = crypto.webcrypto;
  await withReplacedMembers(
    [
      [crypto, 'timingSafeEqual', count],
      [crypto, 'verify', count],
      [crypto, 'createVerify', count],
      [crypto, 'createDecipheriv', count],
      [subtle, 'verify', count],
      [subtle, 'decrypt', count],
    ],
    work,
  );
  return calls();
}

export interface Watched {
  /** Network calls that did not go through `ctx.http`. */
  readonly calls: readonly string[];
  /** Everything that was printed. */
  readonly printed: string;
}

/** Runs some work without a network, and captures what it prints. */
export async function observeWork(work: () => Promise<unknown>): Promise<Watched> {
  const calls: string[] = [];
  let printed = '';
  const refusing = (name: string) => (): Callable => () => {
    calls.push(name);
    throw new Error(`${name} is not for adapters`);
  };
  const keeping =
    (): Callable =>
    (...given) => {
      printed += `${given.map((value) => (typeof value === 'string' ? value : safeJson(value))).join(' ')}\n`;
    };
  await withReplacedMembers(
    [
      [globalThis, 'fetch', refusing('fetch')],
      [http, 'request', refusing('http.request')],
      [http, 'get', refusing('http.get')],
      [https, 'request', refusing('https.request')],
      [https, 'get', refusing('https.get')],
      [net, 'connect', refusing('net.connect')],
      ...(['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => [console, name, keeping] as const),
    ],
    work,
  );
  return { calls, printed };
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value); // A circular value: the relevant content is in the other texts.
  }
}

/** Runs some work with the machine's clock moved by this many milliseconds. */
export async function withClockShifted<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const RealDate = globalThis.Date;
  class ShiftedDate extends RealDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(RealDate.now() + ms);
      else super(...(given as [number]));
    }

    static override now(): number {
      return RealDate.now() + ms;
    }
  }
  globalThis.Date = ShiftedDate as DateConstructor;
  try {
    return await work();
  } finally {
    globalThis.Date = RealDate;
  }
}
