/** Updates the signatures of samples after their bodies were changed. */
import * as v from 'valibot';
import type { ProviderAdapter } from '../adapter.ts';
import type { RawCallback } from '../callback.ts';
import { JsonNumber, readJsonText, toPlain } from '../read/json.ts';
import { isObject } from './difference.ts';
import { routeOf } from './play-callback.ts';
import { createRun, toRawCallback } from './play-vector.ts';
import { readVectorFile, type CallbackVector, type VectorFile } from './vector-file.ts';
import { testNow } from './scripted-provider.ts';

/**
 * Signs a callback as the provider does: with the current secret, and with the time and the id that the callback came
 * with. A package exports it as `signCallback` from `<package>/sandbox`.
 */
export type SignCallback<Options> = (raw: RawCallback, options: Options) => RawCallback;

export interface SignedVectors {
  /** The file with its new signatures. */
  readonly text: string;
  /** Names of the callbacks that were signed again. */
  readonly signed: readonly string[];
}

/**
 * Signs each callback that a vector calls genuine, stale or malformed and whose signature no longer matches. A callback
 * whose signature matches under any secret keeps its bytes. Numbers keep their digits.
 */
export async function signVectors<Options>(
  adapter: ProviderAdapter<Options>,
  text: string,
  sign: SignCallback<Options>,
): Promise<SignedVectors> {
  const file = readVectorFile(text);
  const plain = toPlain(readJsonText(text)) as { readonly callbacks?: readonly { request: Record<string, unknown> }[] };
  const signed: string[] = [];
  for (const [at, vector] of file.callbacks.entries()) {
    const changed = await signOne(adapter, file, vector, sign);
    if (!changed) continue;
    const { request } = plain.callbacks![at]!;
    Object.assign(request, { query: changed.query, headers: changed.headers }, bodyOf(request, changed.body));
    signed.push(vector.name);
  }
  return { text: `${spell(plain, '')}\n`, signed };
}

/** The callback with its new signature; undefined if it needs none. */
async function signOne<Options>(
  adapter: ProviderAdapter<Options>,
  file: VectorFile,
  vector: CallbackVector,
  sign: SignCallback<Options>,
): Promise<RawCallback | undefined> {
  if (!['true', 'stale', 'malformed'].includes(String(vector.expect.genuine))) return undefined;
  const options = v.parse(adapter.manifest.options, { ...file.options, ...vector.optionsOverride });
  const raw = toRawCallback(vector, vector.now === undefined ? testNow : new Date(vector.now));
  const run = createRun(adapter, options, file, vector, {});
  const { context } = run.contextFor(vector.keyFetch ? [vector.keyFetch] : [], vector.payment);
  const { verdict } = await routeOf(adapter, vector.route, raw.method).verifySignature(raw, context);
  return verdict === 'invalid_signature' ? sign(raw, options) : undefined;
}

function bodyOf(request: Readonly<Record<string, unknown>>, body: Uint8Array): object {
  const bytes = Buffer.from(body);
  return 'bodyBase64' in request ? { bodyBase64: bytes.toString('base64') } : { body: bytes.toString() };
}

/** Formats like `JSON.stringify(value, null, 1)`, but writes each number digit for digit. */
function spell(value: unknown, margin: string): string {
  const inner = `${margin} `;
  const lines = (open: string, parts: readonly string[], close: string): string =>
    parts.length === 0 ? open + close : `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${margin}${close}`;
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value))
    return lines(
      '[',
      value.map((item) => spell(item, inner)),
      ']',
    );
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spell(member, inner)}`);
  return lines('{', members, '}');
}
