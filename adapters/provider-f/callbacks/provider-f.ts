/**
 * Route `POST providerF`. A ping only means that deal X changed. Only the id is signed, and the fetch that follows
 * reads everything else.
 */
import {
  acknowledgeBy,
  defineRoute,
  elementsNamed,
  empty,
  genuine,
  headerValues,
  invalidSignature,
  isFresh,
  malformed,
  readHex,
  readPairs,
  stale,
  toPing,
  unproven,
  verifyWithAny,
  type RawCallback,
  type Verdict,
} from '@paywright/contract';
import { isDealId } from '../deal.ts';
import type { Context, Options } from '../options.ts';
import { pingMac } from '../signing.ts';

const TOLERANCE_MS = 300_000;

/** Every decoded `f_id` of a query or form. An id that does not decode is empty. Other members are not read. */
function idsIn(encoded: string): string[] {
  const named = encoded.split('&').filter((pair) => readPairs(pair.split('=')[0]!)?.[0]?.[0] === 'f_id');
  return named.map((pair) => readPairs(pair)?.[0]?.[1] ?? '');
}

/** The signature covers an id in the query, never an id in the body. */
function verifySign(raw: RawCallback, id: string, isCovered: boolean, { options, now }: Context): Verdict<string> {
  const { pingSecrets, requireSignedPing } = options;
  const unsigned = requireSignedPing ? invalidSignature('the ping is not signed') : unproven(id);
  const [sign, ...signs] = headerValues(raw, 'x-f-sign');
  const [request, ...requests] = headerValues(raw, 'x-f-request');
  if (sign === undefined || pingSecrets.length === 0) return unsigned;
  if (signs.length > 0) return invalidSignature('X-F-Sign twice');
  const [ts = '', ...others] = elementsNamed(sign, 'ts');
  if (others.length > 0) return malformed('ts twice');
  if (!/^\d+$/.test(ts)) return invalidSignature('ts');
  if (requests.length > 0) return invalidSignature('X-F-Request twice');

  const signed = { id: isCovered ? id : undefined, request, ts };
  const given = elementsNamed(sign, 'v1').map((v1) => readHex(v1, 32));
  const key = verifyWithAny(pingSecrets, given, (secret) => pingMac(secret, signed));
  if (key === undefined) return invalidSignature('v1');
  if (!isFresh(Number(ts), now(), TOLERANCE_MS)) return stale('ts');
  return isCovered ? genuine(id, { key }) : unsigned;
}

export const callback = defineRoute<Options, string>({
  path: 'providerF',
  method: 'POST',
  caller: 'server',
  reports: 'that a deal changed',
  contentTypes: ['application/x-www-form-urlencoded'],
  queryParameters: ['f_id'],

  verifySignature(raw, ctx) {
    // An id is ASCII, so bytes of another encoding need no decoding.
    const [inQuery, inBody] = [idsIn(raw.query), idsIn(Buffer.from(raw.body).toString('latin1'))];
    if (inQuery.length > 1 || inBody.length > 1) return malformed('f_id occurs twice in one place');
    const [id, other = id] = [...inQuery, ...inBody];
    if (id === undefined) return malformed('no f_id');
    if (id !== other) return malformed('two different f_id');
    if (!isDealId(id)) return malformed('f_id is not the id of a deal');
    return verifySign(raw, id, inQuery.length > 0, ctx);
  },

  parseCallback({ value }) {
    return { events: [toPing(value)] };
  },

  acknowledge: acknowledgeBy({
    accepted: empty(200),
    invalid_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});
