/** POST providerA-chargeback: disputes, sealed by a header over time and raw body. */
import {
  acknowledgeBy,
  defineRoute,
  empty,
  forged,
  genuine,
  hmac,
  isFresh,
  onlyHeader,
  provenByAny,
  readAs,
  readHex,
  stale,
  v,
  type Provider,
  type RawCallback,
  type Verdict,
} from '@gateway/contract';
import { modeOf, moneyOf, readObject, Sum } from './messages.ts';
import type { Options } from './options.ts';

/** `retrieval` is a question only, and no event. */
export const disputeWords = {
  chargeback: { opened: 'opened', won: 'won', lost: 'lost', reversed: 'reversed' },
} as const;

const Notice = v.object({
  eventId: v.string(),
  caseId: v.string(),
  acct: v.string(),
  txn: v.string(),
  ref: v.string(),
  mode: v.string(),
  stage: v.string(),
  sum: Sum,
  reasonCode: v.string(),
  dueAt: v.nullable(v.string()),
});
type Notice = v.InferOutput<typeof Notice>;

const TOLERANCE_MS = 300_000;

export function seal(sealKey: string, time: string, body: Uint8Array): Buffer {
  return hmac('sha256', sealKey, `${time}.`, body);
}

/** `t=<seconds>,s1=<hex>[,s1=<hex>]`; undefined where it has not exactly one time, or no seal. */
function readSeal(header: string): { time: string; seals: readonly string[] } | undefined {
  const elements = header.split(',').map((element) => element.replace(/^ +| +$/g, ''));
  const valuesOf = (name: string): string[] =>
    elements.filter((element) => element.startsWith(`${name}=`)).map((element) => element.slice(name.length + 1));
  const [time = '', ...further] = valuesOf('t');
  const seals = valuesOf('s1');
  if (!/^\d{1,12}$/.test(time) || further.length > 0 || seals.length === 0) return undefined;
  return { time, seals };
}

/** Null: sealed by A and meant for us as far as we can tell, but not readable. */
function prove(raw: RawCallback, provider: Provider<Options>): Verdict<Notice | null> {
  const { account, sealKeys } = provider.options;
  const header = readSeal(onlyHeader(raw, 'X-A-Seal') ?? '');
  if (!header) return forged('X-A-Seal is missing, repeated, or without one time and a seal');
  const { time, seals } = header;
  // Every seal is tried, so that the time taken does not tell which one fits.
  const given = seals.map((one) => readHex(one, 32));
  if (!provenByAny(sealKeys, given, (key) => seal(key, time, raw.body))) return forged('no seal is right');
  if (!isFresh(Number(time) * 1000, provider.now(), TOLERANCE_MS)) return stale('the time of X-A-Seal');

  const notice = readAs(Notice, readObject(raw.body));
  if (notice && notice.acct !== account) return forged('another account');
  return genuine(notice ?? null);
}

export const chargeback = defineRoute<Options, Notice | null>({
  path: 'providerA-chargeback',
  method: 'POST',
  caller: 'server',
  reports: 'chargebacks',
  verifySignature: prove,
  parseCallback({ value }) {
    if (!value) return { malformed: 'a member is missing or of another type' };
    if (value.stage === 'retrieval') return { events: [] };
    const { eventId, caseId, txn, ref, mode, stage, sum } = value;
    return {
      events: [
        {
          kind: 'chargeback',
          word: stage,
          reference: ref,
          providerReference: txn,
          subReference: caseId,
          ...moneyOf(sum),
          dedupeKey: `cb:${eventId}`,
          ...modeOf(mode),
          facts: { from: 'dispute' },
        },
      ],
    };
  },
  acknowledge: acknowledgeBy({
    accepted: empty(204),
    bad_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});
