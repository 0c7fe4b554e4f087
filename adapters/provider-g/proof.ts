/** Is a message of G's genuine? Its signature, by whichever key it names, and its time. */
import { forged, isFresh, stale, tryLater, type Provider, type RawCallback, type Verdict } from '@gateway/contract';
import { findKey } from './keys.ts';
import type { Options } from './options.ts';
import { isSignedBy, messageText, readSignature, type Signature } from './signature.ts';

const TOLERANCE_MS = 300_000;

/** What signs a message, or why nothing proves it. */
export type Proof = { readonly signature: Signature } | { readonly refused: Verdict<never> };

/** Proves a callback, or a 200 reply: who sent these bytes, and that it was now. What they hold is another question. */
export async function proveMessage(
  message: Pick<RawCallback, 'headers' | 'body'>,
  provider: Provider<Options>,
): Promise<Proof> {
  const signature = readSignature(message);
  if (!signature) return { refused: forged('a signature header is missing, repeated or of another form') };
  const key = await findKey(signature.serial, provider);
  if (key === 'unavailable') return { refused: tryLater('the key of the signature could not be had') };
  if (key === 'denied') return { refused: forged('no key of G has the serial of the signature') };
  if (!isSignedBy(key, messageText(signature, message.body), signature)) return { refused: forged('G-Sign') };
  if (!isFresh(Number(signature.time) * 1000, provider.now(), TOLERANCE_MS)) return { refused: stale('G-Time') };
  return { signature };
}
