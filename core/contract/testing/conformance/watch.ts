/** Sees what an adapter does beside its answers: which comparisons it uses, whether it calls out, what it prints. */
import crypto from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

type Callable = (...given: unknown[]) => unknown;

/** Replaces members for the time of some work, in every module that imported them by name. */
async function replacing<T>(
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

/** How many proofs in constant time (or by a cipher's own tag) some work made. */
export async function countProofs(work: () => Promise<unknown>): Promise<number> {
  let proofs = 0;
  const counting =
    (original: Callable): Callable =>
    (...given) => {
      proofs += 1;
      return original(...given);
    };
  const { subtle } = crypto.webcrypto;
  await replacing(
    [
      [crypto, 'timingSafeEqual', counting],
      [crypto, 'verify', counting],
      [crypto, 'createVerify', counting],
      [crypto, 'createDecipheriv', counting],
      [subtle, 'verify', counting],
      [subtle, 'decrypt', counting],
    ],
    work,
  );
  return proofs;
}

export interface Watched {
  /** Calls to the world that did not go through `ctx.http`. */
  readonly calls: readonly string[];
  /** Whatever was printed. */
  readonly printed: string;
}

/** Runs some work in a world that cannot be reached and whose printing is kept. */
export async function watched(work: () => Promise<unknown>): Promise<Watched> {
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
  await replacing(
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
    return String(value); // Circular: what matters is in the texts beside it.
  }
}

/** Runs some work with the machine's clock put on by so many milliseconds. */
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
