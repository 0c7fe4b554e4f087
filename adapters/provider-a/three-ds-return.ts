/** GET providerA3ds: the payer comes back from 3D Secure. The signed letter is a hint; `complete` decides. */
import {
  acknowledgeBy,
  defineRoute,
  forged,
  genuine,
  hmac,
  isFresh,
  malformed,
  page,
  provenByAny,
  readHex,
  readPairs,
  seeOther,
  stale,
  uniquePairs,
  type Provider,
  type RawCallback,
  type Verdict,
} from '@gateway/contract';
import { isTxn } from './messages.ts';
import type { Options } from './options.ts';

interface Return {
  readonly txn: string;
  readonly ref: string;
  readonly paymentRequestId: string;
  readonly auth: string;
}

/** Every letter is a hint, an `N` too. */
export const returnWords = {
  '3ds': { Y: 'pending', A: 'pending', N: 'pending', U: 'pending', R: 'pending' },
} as const;

const TOLERANCE_MS = 600_000;
const MAX_REFERENCE = 24;

/** All parameters but `sig`, decoded, sorted by the UTF-8 bytes of their names. */
export function canonicalQuery(pairs: Iterable<readonly [name: string, value: string]>): string {
  return [...pairs]
    .filter(([name]) => name !== 'sig')
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function prove(raw: RawCallback, provider: Provider<Options>): Verdict<Return> {
  const pairs = readPairs(raw.query);
  const query = pairs && uniquePairs(pairs);
  if (!query) return malformed('the query does not decode, or names something twice');

  const canonical = canonicalQuery(query);
  const sig = readHex(query.get('sig') ?? '', 32);
  if (!provenByAny(provider.options.returnKeys, sig, (key) => hmac('sha256', key, canonical))) return forged('sig');

  const [txn = '', ref = '', auth = '', ts = ''] = ['txn', 'ref', 'auth', 'ts'].map((name) => query.get(name));
  const paymentRequestId = /^GW-(\d+)-\d+$/.exec(ref)?.[1];
  if (!isTxn(txn)) return malformed('txn');
  if (paymentRequestId === undefined || ref.length > MAX_REFERENCE) return malformed('ref');
  if (!/^[A-Z]$/.test(auth)) return malformed('auth');
  if (!/^\d{1,12}$/.test(ts)) return malformed('ts');
  if (!isFresh(Number(ts) * 1000, provider.now(), TOLERANCE_MS)) return stale('ts');
  return genuine({ txn, ref, paymentRequestId, auth });
}

const rejected = acknowledgeBy({
  accepted: page(200),
  bad_signature: page(403),
  stale: page(410),
  malformed: page(400),
  try_later: page(503),
});

export const threeDsReturn = defineRoute<Options, Return>({
  path: 'providerA3ds',
  method: 'GET',
  caller: 'browser',
  reports: "the payer's return from 3D Secure",
  verifySignature: prove,
  parseCallback: ({ value: { txn, ref, auth } }) => ({
    events: [
      {
        kind: '3ds',
        word: auth,
        reference: ref,
        providerReference: txn,
        amount: null,
        currency: null,
        dedupeKey: `3ds:${txn}`,
      },
    ],
  }),
  acknowledge({ outcome, proven }, { publicUrl }) {
    const refusal = rejected({ outcome });
    return refusal.status === 200 && proven ? seeOther(`${publicUrl}/pay/${proven.value.paymentRequestId}`) : refusal;
  },
});
