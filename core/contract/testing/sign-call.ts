/**
 * Signs the answers and our own requests of one call again, after their content was changed in a vectors file. Only a
 * call that fails is changed, and a new signature stays only if fewer differences remain with it. So a vector whose
 * answer has a wrong signature on purpose keeps it.
 */
import * as v from 'valibot';
import type { ProviderAdapter } from '../adapter.ts';
import { secretPaths } from '../proof/options.ts';
import type { HttpReply, HttpRequest } from '../provider.ts';
import { basePath, bytesOf, toHttpReply } from './compare-request.ts';
import { partsOf } from './conformance/message-parts.ts';
import { changeSecrets } from './conformance/secrets.ts';
import { createRun, playRecordedCall, type VectorOptions } from './play-vector.ts';
import { addressOf } from './scripted-provider.ts';
import type { Signers } from './signers.ts';
import type { CallVector, VectorExchange, VectorFile, VectorReply } from './vector-file.ts';

type Exchanges = CallVector['exchanges'];
type Played = Awaited<ReturnType<typeof playRecordedCall>>;

/** The exchanges with their new signatures; undefined if none of them changed. */
export async function signCall<Options>(
  adapter: ProviderAdapter<Options>,
  file: VectorFile,
  vector: CallVector,
  { signAnswer }: Signers<Options>,
  given: VectorOptions<Options>,
): Promise<Exchanges | undefined> {
  const written = { ...file.options, ...vector.optionsOverride };
  const tryOptions = (one: Readonly<Record<string, unknown>>): Options | undefined => {
    const read = v.safeParse(adapter.manifest.options, one);
    return read.success ? read.output : undefined;
  };
  const options = tryOptions(written);
  if (options === undefined) return undefined;
  const play = async (exchanges: Exchanges, under: Options = options): Promise<Played> => {
    try {
      return await playRecordedCall(createRun(adapter, under, file, vector, given), { ...vector, exchanges });
    } catch {
      return { differences: ['threw'], requests: [] }; // The run of the vectors, which follows, reports the error.
    }
  };

  let exchanges = vector.exchanges;
  let played = await play(exchanges);
  if (played.differences.length === 0) return undefined;
  const keepIfBetter = async (step: number, changed: Partial<VectorExchange>): Promise<void> => {
    const next = exchanges.map((one, at) => (at === step ? { ...one, ...changed } : one));
    const now = await play(next);
    if (now.differences.length < played.differences.length) [exchanges, played] = [next, now];
  };
  for (const [step, { reply }] of vector.exchanges.entries()) {
    const request = played.requests[step];
    if (!signAnswer || !reply || !request) continue;
    const signed = signAnswer(toHttpReply(reply), options, file.providerSide, request);
    await keepIfBetter(step, { reply: toReply(reply, signed) });
  }
  const secrets = secretPaths(adapter.manifest.options);
  const others = tryOptions(changeSecrets({ file: { ...file, options: written }, tryOptions }, secrets));
  const foreign = await play(exchanges, others ?? options);
  const base = basePath(addressOf(options, vector.payment['isSandbox'] === true));
  for (const [step, { request }] of exchanges.entries()) {
    const [sent, other] = [played.requests[step], foreign.requests[step]];
    if (request && sent && other) await keepIfBetter(step, { request: signAsSent(request, sent, other, base) });
  }
  return exchanges === vector.exchanges ? undefined : exchanges;
}

function toReply(reply: VectorReply, signed: HttpReply): VectorReply {
  const headers = signed.headers.map(([name, value]): [string, string] => [name, value]);
  return { ...reply, headers, ...(bytesOf(reply).equals(signed.body) ? {} : bodyOf(reply, signed.body)) };
}

/** The body as a member of a vector, in the spelling that the message has already. */
export function bodyOf(message: object, body: Uint8Array): { readonly body: string } | { readonly bodyBase64: string } {
  const bytes = Buffer.from(body);
  return 'bodyBase64' in message ? { bodyBase64: bytes.toString('base64') } : { body: bytes.toString() };
}

type Wanted = NonNullable<VectorExchange['request']>;

/**
 * The recorded request with the signatures that the adapter sent. A header, or a pair of the query or of a form, is a
 * signature if its value depends on the secrets. Any other difference stays, so that the vector still shows it.
 */
function signAsSent(wanted: Wanted, sent: HttpRequest, other: HttpRequest, base: string): Wanted {
  const [ours, theirs] = [valuesOf(toParts(sent, base)), valuesOf(toParts(other, base))];
  let message = toParts(wanted, '');
  for (const name of valuesOf(message).keys()) {
    const value = ours.get(name);
    const part = partsOf(message).find(({ what }) => what.toLowerCase() === name);
    if (part && value !== undefined && value !== part.value && value !== theirs.get(name)) message = part.put(value);
  }
  const { path, query, headers, body } = message;
  const changed = {
    path: query === '' ? path : `${path}?${query}`,
    headers: headers.map(([a, b]): [string, string] => [a, b]),
  };
  return { ...wanted, ...changed, ...(bytesOf(wanted).equals(body) ? {} : bodyOf(wanted, body)) };
}

function toParts({ path: target, headers = {}, ...message }: HttpRequest | Wanted, base: string) {
  const [path = '', ...query] = target.split('?');
  const bytes =
    'bodyBase64' in message || !(message.body instanceof Uint8Array) ? bytesOf(message as Wanted) : message.body;
  return {
    path: base + path,
    query: query.join('?'),
    headers: (Array.isArray(headers) ? headers : Object.entries(headers)) as [name: string, value: string][],
    body: bytes,
  };
}

function valuesOf(message: ReturnType<typeof toParts>): Map<string, string> {
  const parts = partsOf(message).filter(({ what }) => /^(header|pair) /.test(what));
  return new Map(parts.map(({ what, value }) => [what.toLowerCase(), value]));
}
