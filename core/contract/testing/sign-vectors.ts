/** Updates the signatures of samples after their bodies were changed. */
import * as v from 'valibot';
import type { ProviderAdapter } from '../adapter.ts';
import type { RawCallback } from '../callback.ts';
import { JsonNumber, readJsonText, toPlain } from '../read/json.ts';
import { bytesOf } from './compare-request.ts';
import { isObject } from './difference.ts';
import { routeOf } from './play-callback.ts';
import { createRun, toRawCallback, type VectorOptions } from './play-vector.ts';
import { bodyOf, signCall } from './sign-call.ts';
import type { SignCallback, Signers } from './signers.ts';
import {
  readVectorFile,
  type CallbackVector,
  type VectorExchange,
  type VectorFile,
  type VectorReply,
} from './vector-file.ts';
import { testNow } from './scripted-provider.ts';

export interface SignedVectors {
  /** The file with its new signatures. */
  readonly text: string;
  /** Names of the callbacks and calls that were signed again. */
  readonly signed: readonly string[];
}

type Members = Record<string, unknown>;
/** A vectors file as it is written. */
interface Written {
  readonly callbacks?: readonly { readonly request: Members }[];
  readonly submissions?: readonly (Members & { readonly exchanges?: readonly Members[] })[];
}

/**
 * Signs each callback that a vector calls genuine, stale or malformed and whose signature no longer matches, each
 * answer of a call that fails because of a signature, and our own requests. A message whose signature matches
 * under any secret keeps its bytes. Numbers keep their digits.
 */
export async function signVectors<Options>(
  adapter: ProviderAdapter<Options>,
  text: string,
  sign: SignCallback<Options> | Signers<Options>,
  given: VectorOptions<Options> = {},
): Promise<SignedVectors> {
  const signers = typeof sign === 'function' ? { signCallback: sign } : sign;
  const file = readVectorFile(text);
  const plain = toPlain(readJsonText(text)) as Written;
  const signed: string[] = [];
  for (const [at, vector] of file.callbacks.entries()) {
    const changed = await signOne(adapter, file, vector, signers);
    if (!changed) continue;
    const { request } = plain.callbacks![at]!;
    Object.assign(request, { query: changed.query, headers: changed.headers }, bodyOf(request, changed.body));
    signed.push(vector.name);
  }
  for (const [at, vector] of file.submissions.entries()) {
    const changed = await signCall(adapter, file, vector, signers, given);
    if (!changed) continue;
    const written = plain.submissions![at]!;
    for (const [step, { request, reply }] of changed.entries()) {
      const exchange = written.exchanges?.[step] ?? written;
      writeMessage(exchange['request'], request, vector.exchanges[step]?.request);
      writeMessage(exchange['reply'], reply, vector.exchanges[step]?.reply);
    }
    signed.push(vector.name);
  }
  return { text: `${spell(plain, '')}\n`, signed };
}

/** The callback with its new signature; undefined if it needs none. */
async function signOne<Options>(
  adapter: ProviderAdapter<Options>,
  file: VectorFile,
  vector: CallbackVector,
  { signCallback }: Signers<Options>,
): Promise<RawCallback | undefined> {
  if (!signCallback || !['true', 'stale', 'malformed'].includes(String(vector.expect.genuine))) return undefined;
  const options = v.parse(adapter.manifest.options, { ...file.options, ...vector.optionsOverride });
  const raw = toRawCallback(vector, vector.now === undefined ? testNow : new Date(vector.now));
  const run = createRun(adapter, options, file, vector, {});
  const { context } = run.contextFor(vector.keyFetch ? [vector.keyFetch] : [], vector.payment);
  const { verdict } = await routeOf(adapter, vector.route, raw.method).verifySignature(raw, context);
  return verdict === 'invalid_signature' ? signCallback(raw, options, file.providerSide) : undefined;
}

/** Writes the parts of a message that were signed again, and nothing else. */
function writeMessage(
  written: unknown,
  signed: VectorExchange['request'] | VectorReply,
  before: VectorExchange['request'] | VectorReply = null,
): void {
  if (!isObject(written) || !signed || !before || signed === before) return;
  if ('path' in signed) written['path'] = signed.path;
  written['headers'] = signed.headers;
  if (!bytesOf(signed).equals(bytesOf(before))) Object.assign(written, bodyOf(written, bytesOf(signed)));
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
