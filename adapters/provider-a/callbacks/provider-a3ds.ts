/** Callback `GET providerA3ds`: the payer returns from 3D Secure. The query is only a hint; `complete` decides. */
import {
  acknowledgeBy,
  defined,
  defineRoute,
  genuine,
  hmac,
  invalidSignature,
  isFresh,
  malformed,
  page,
  readHex,
  readUniquePairs,
  seeOther,
  stale,
  verifyWithAny,
  type ThreeDsShown,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { isTxn } from '../wire.ts';

interface Return {
  readonly txn: string;
  readonly ref: string;
  readonly paymentRequestId: string;
  readonly auth: string;
}

/** The issuer's result, as A signs it. `complete` decides the payment. */
const threeDsShown: Readonly<Record<string, ThreeDsShown>> = {
  Y: 'authenticated',
  A: 'attempted',
  N: 'none',
  U: 'none',
  R: 'none',
};

const TOLERANCE_MS = 600_000;
const MAX_REFERENCE = 24;

/** The text that A signs: all parameters except `sig`, decoded and sorted by the UTF-8 bytes of their names. */
export function canonicalQuery(pairs: Iterable<readonly [name: string, value: string]>): string {
  return [...pairs]
    .filter(([name]) => name !== 'sig')
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const answers = acknowledgeBy({
  accepted: page(200),
  invalid_signature: page(403),
  stale: page(410),
  malformed: page(400),
  try_later: page(503),
});

export const threeDsReturn = defineRoute<Options, Return>({
  path: 'providerA3ds',
  method: 'GET',
  caller: 'browser',
  reports: "the payer's return from 3D Secure",
  queryParameters: ['txn', 'ref', 'auth', 'ts', 'lang', 'sig'],

  verifySignature(raw, { options, now }) {
    const query = readUniquePairs(raw.query);
    if (!query) return malformed('the query cannot be decoded, or repeats a name');
    const canonical = canonicalQuery(query);
    const sig = readHex(query.get('sig') ?? '', 32);
    const key = verifyWithAny(options.returnKeys, sig, (returnKey) => hmac('sha256', returnKey, canonical));
    if (key === undefined) return invalidSignature('no key matches sig');

    const [txn = '', ref = '', auth = '', ts = ''] = ['txn', 'ref', 'auth', 'ts'].map((name) => query.get(name));
    const paymentRequestId = /^GW-(\d+)-\d+$/.exec(ref)?.[1];
    if (!isTxn(txn)) return malformed('txn is not 1 to 40 characters');
    if (paymentRequestId === undefined || ref.length > MAX_REFERENCE)
      return malformed('ref is not one of our references');
    if (!/^[A-Z]$/.test(auth)) return malformed('auth is not one capital letter');
    if (!/^\d{1,12}$/.test(ts)) return malformed('ts is not a time in Unix seconds');
    if (!isFresh(Number(ts) * 1000, now(), TOLERANCE_MS)) return stale('ts is more than 600 s away');
    return genuine({ txn, ref, paymentRequestId, auth });
  },

  parseCallback({ value: { txn, ref, auth } }) {
    const about = { reference: ref, providerReference: txn, amount: null, currency: null };
    const shown = defined({ threeDs: threeDsShown[auth] });
    return { events: [{ kind: '3ds', providerStatus: auth, ...about, dedupeKey: `3ds:${txn}`, ...shown }] };
  },

  acknowledge({ outcome, verified }, { publicUrl }) {
    const answer = answers({ outcome });
    if (answer.status !== 200 || !verified) return answer;
    return seeOther(`${publicUrl}/pay/${verified.value.paymentRequestId}`);
  },
});
