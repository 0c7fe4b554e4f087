/** POST providerF: *look at deal X*. Nothing but the id can be proven, and the fetch that follows says all else. */
import {
  acknowledgeBy,
  defineRoute,
  empty,
  forged,
  genuine,
  headerValues,
  isFresh,
  malformed,
  provenByAny,
  readHex,
  readPairs,
  stale,
  unproven,
  type Provider,
  type RawCallback,
  type Verdict,
} from '@gateway/contract';
import { isDealId } from './deal.ts';
import type { Options } from './options.ts';
import { pingMac } from './signing.ts';

const TOLERANCE_MS = 300_000;

interface Ping {
  readonly id: string;
}

/** Every `f_id` of a query or form, decoded; one that does not decode is empty. What else stands there is not read. */
function idsIn(encoded: string): string[] {
  const named = encoded.split('&').filter((pair) => readPairs(pair.split('=')[0]!)?.[0]?.[0] === 'f_id');
  return named.map((pair) => readPairs(pair)?.[0]?.[1] ?? '');
}

/** Values of a part of `X-F-Sign`, as sent. */
function partsOf(sign: string, name: 'ts' | 'v1'): string[] {
  const parts = sign.split(',').map((part) => part.trim());
  return parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
}

function prove(raw: RawCallback, provider: Provider<Options>): Verdict<Ping> {
  // An id is ASCII: bytes of any other text need no decoding.
  const [inQuery, inBody] = [idsIn(raw.query), idsIn(Buffer.from(raw.body).toString('latin1'))];
  if (inQuery.length > 1 || inBody.length > 1) return malformed('f_id twice in one place');
  const [id, other = id] = [...inQuery, ...inBody];
  if (id === undefined) return malformed('no f_id');
  if (id !== other) return malformed('two different f_id');
  if (!isDealId(id)) return malformed('f_id is no id of a deal');
  return proveSign(raw, { id }, inQuery.length > 0, provider);
}

/** The signature covers an id in the query, never one in the body. */
function proveSign(raw: RawCallback, ping: Ping, isCovered: boolean, provider: Provider<Options>): Verdict<Ping> {
  const { pingSecrets, requireSignedPing } = provider.options;
  const unsigned = (): Verdict<Ping> => (requireSignedPing ? forged('the ping is not signed') : unproven(ping));
  const [signs, requests] = [headerValues(raw, 'x-f-sign'), headerValues(raw, 'x-f-request')];
  const [sign] = signs;
  if (sign === undefined || pingSecrets.length === 0) return unsigned();
  if (signs.length > 1) return forged('X-F-Sign twice');
  const [ts = '', ...others] = partsOf(sign, 'ts');
  if (others.length > 0) return malformed('ts twice');
  if (!/^\d+$/.test(ts)) return forged('ts');
  if (requests.length > 1) return forged('X-F-Request twice');

  const signed = { id: isCovered ? ping.id : undefined, request: requests[0], ts };
  const proofs = partsOf(sign, 'v1').map((v1) =>
    provenByAny(pingSecrets, readHex(v1, 32), (secret) => pingMac(secret, signed)),
  );
  if (!proofs.includes(true)) return forged('v1');
  if (!isFresh(Number(ts), provider.now(), TOLERANCE_MS)) return stale('ts');
  return isCovered ? genuine(ping) : unsigned();
}

export const ping = defineRoute<Options, Ping>({
  path: 'providerF',
  method: 'POST',
  caller: 'server',
  reports: 'that a deal changed',
  verifySignature: prove,
  parseCallback: ({ value }) => ({
    events: [
      {
        kind: 'ping',
        word: 'ping',
        reference: null,
        providerReference: value.id,
        amount: null,
        currency: null,
        // Equal pings are no duplicates: the deal may have changed between them.
        dedupeKey: null,
        mustFetch: true,
      },
    ],
  }),
  acknowledge: acknowledgeBy({
    accepted: empty(200),
    bad_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});
