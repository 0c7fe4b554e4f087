/** The memory of a sandbox. It is bounded, so that a sandbox that runs for weeks does not grow endlessly. */
import { randomBytes } from 'node:crypto';
import { hash } from '../proof/signatures.ts';
import type { Reply } from './reply.ts';

/** A map that forgets its oldest entries beyond `limit`. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #limit: number;

  constructor(limit = 20_000) {
    super();
    this.#limit = limit;
  }

  override set(key: K, value: V): this {
    super.set(key, value);
    if (this.size > this.#limit) this.delete(this.keys().next().value!);
    return this;
  }
}

/** Creates a function that returns true for the first call with a key, and false for every later call with it. */
export function createOnce(limit?: number): (key: string) => boolean {
  const seen = new BoundedMap<string, true>(limit);
  return (key) => {
    if (seen.has(key)) return false;
    seen.set(key, true);
    return true;
  };
}

/** A random id: the prefix, then `length` capitals and digits. */
export function newId(prefix: string, length = 10): string {
  return prefix + [...randomBytes(length)].map((byte) => alphabet[byte % 32]!).join('');
}

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export interface RepeatedAnswers {
  /** The answer to a repetition with the same values; the stored answer by default. */
  readonly again?: (stored: Reply) => Reply;
  /** The first request with this key is still being answered. */
  readonly busy: Reply;
  /** The key was used before with other values. */
  readonly differs: Reply;
  /** Whether to keep an answer; one that says "nothing charged" is usually not kept. */
  readonly keep: (reply: Reply) => boolean;
}

/** Answers requests once per idempotency key. */
export interface Repetitions {
  answer(
    key: string,
    values: string | Uint8Array,
    make: () => Reply | Promise<Reply>,
    reported: RepeatedAnswers,
  ): Promise<Reply>;
}

/** A repetition gets the complete stored answer, even if the first one was cut or never left. */
export function createRepetitions(limit?: number): Repetitions {
  const kept = new BoundedMap<string, { values: string; reply?: Reply }>(limit);
  return {
    async answer(key, values, make, reported) {
      const print = hash('sha256', values).toString('base64');
      const before = kept.get(key);
      if (before) {
        if (before.values !== print) return reported.differs;
        if (!before.reply) return reported.busy;
        return reported.again ? reported.again(before.reply) : before.reply;
      }
      kept.set(key, { values: print });
      try {
        const reply = await make();
        if (!reported.keep(reply)) kept.delete(key);
        else kept.set(key, { values: print, reply: whole(reply) });
        return reply;
      } catch (error) {
        kept.delete(key);
        throw error;
      }
    },
  };
}

/** The answer without its fault. */
function whole({ status, headers, body }: Reply): Reply {
  return { status, ...(headers ? { headers } : {}), ...(body === undefined ? {} : { body }) };
}
