/** G's public keys by their serials: those of the options, and those that G is asked for and core remembers. */
import type { KeyObject } from 'node:crypto';
import {
  readAs,
  readJsonObject,
  readRfc3339,
  v,
  type Outcome,
  type Provider,
  type Remembered,
} from '@gateway/contract';
import { aadOf, openBox } from './box.ts';
import { readPublicKey, type Options } from './options.ts';
import { get } from './request.ts';

/** How long a serial that has no key is remembered, so that forged messages do not make us ask again and again. */
const DENIED_MS = 60_000;

/** `denied`: no key of G's has this serial now. `unavailable`: that cannot be known at this moment. */
export type FoundKey = KeyObject | 'denied' | 'unavailable';

/** The key of a serial. Never rejects: whoever is asked for a key has sent something else before. */
export async function findKey(serial: string, provider: Provider<Options>): Promise<FoundKey> {
  const { options, baseUrl, cache } = provider;
  const known = options.providerKeys.find((key) => key.serial === serial);
  if (known) return readPublicKey(known.publicKey)!;
  try {
    // By address: a key that the sandbox tells of must prove nothing that is live.
    return await cache.remember(`key ${baseUrl} ${options.merchantId} ${serial}`, async () => {
      const learned = await learnKey(serial, provider);
      if (learned) return learned;
      throw new Error('G gave no readable answer about a key');
    });
  } catch {
    return 'unavailable'; // No answer of G's, or core lends no further question: the message may be sent again.
  }
}

/** Asks G once; undefined: no readable answer. The answer is proven by its box, whatever signs it. */
async function learnKey(
  serial: string,
  provider: Provider<Options>,
): Promise<Remembered<KeyObject | 'denied'> | undefined> {
  const { options, http, now } = provider;
  const denied = { value: 'denied', until: new Date(now().getTime() + DENIED_MS) } as const;
  const reply = await http.send(get(`/v1/keys/${serial}`, provider));
  if (reply.status === 404) return denied;
  const box = reply.status === 200 ? readAs(Boxed, readJsonObject(reply.body))?.box : undefined;
  const opened = box?.aad === aadOf(options, serial) ? openBox(options, box) : undefined;
  if (!opened) return undefined;
  return readKey(opened.message, serial, options, now()) ?? denied;
}

const Boxed = v.object({ box: v.looseObject({ aad: v.string() }) });
const Answer = v.object({
  mid: v.string(),
  serial: v.string(),
  publicKey: v.string(),
  from: v.string(),
  until: v.string(),
});

/** The key, where it counts: it is the one that was asked for, long enough, and valid now. */
function readKey(
  message: unknown,
  serial: string,
  { merchantId }: Options,
  now: Date,
): Remembered<KeyObject> | undefined {
  const answer = readAs(Answer, message);
  if (answer?.mid !== merchantId || answer.serial !== serial) return undefined;
  const value = readPublicKey(answer.publicKey);
  const [from, until] = [readRfc3339(answer.from), readRfc3339(answer.until)];
  return value && from && until && from <= now && now <= until ? { value, until } : undefined;
}

/** The key fetch as a call of its own, as vectors have it. */
export async function keyFetch(
  { serial }: Readonly<Record<string, unknown>>,
  provider: Provider<Options>,
): Promise<Outcome> {
  const found = await findKey(String(serial), provider);
  if (found === 'unavailable') return { outcome: 'unknown' };
  return { outcome: found === 'denied' ? 'failed' : 'succeeded' };
}
