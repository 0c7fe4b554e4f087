/** Callback `POST providerA-chargeback`: disputes. A header signs the time and the raw body. */
import {
  acknowledgeBy,
  defineRoute,
  elementsNamed,
  empty,
  genuine,
  hmac,
  invalidSignature,
  isFresh,
  onlyHeader,
  readHex,
  readJsonBody,
  stale,
  v,
  verifyWithAny,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { modeOf, moneyOf, Sum } from '../wire.ts';

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
const Named = v.object({ acct: v.string() });
type Notice = v.InferOutput<typeof Notice>;

const TOLERANCE_MS = 300_000;

export function seal(sealKey: string, time: string, body: Uint8Array): Buffer {
  return hmac('sha256', sealKey, `${time}.`, body);
}

/** Reads `t=<seconds>,s1=<hex>[,s1=<hex>]`. Undefined unless there is exactly one time and at least one seal. */
function readSeal(header: string): { time: string; seals: readonly string[] } | undefined {
  const [time = '', ...further] = elementsNamed(header, 't');
  const seals = elementsNamed(header, 's1');
  return /^\d{1,12}$/.test(time) && further.length === 0 && seals.length > 0 ? { time, seals } : undefined;
}

/** Verifies a notice. A genuine null means: the seal is right, but the notice is unreadable. */
export const chargeback = defineRoute<Options, Notice | null>({
  path: 'providerA-chargeback',
  method: 'POST',
  caller: 'server',
  reports: 'chargebacks',
  contentTypes: ['application/json'],

  accountHint: (raw) => readJsonBody(Named, raw)?.acct,

  verifySignature(raw, { options: { account, sealKeys }, now }) {
    const header = readSeal(onlyHeader(raw, 'X-A-Seal') ?? '');
    if (!header) return invalidSignature('X-A-Seal is missing or repeated, or lacks one time or a seal');
    const { time, seals } = header;
    const given = seals.map((one) => readHex(one, 32));
    const key = verifyWithAny(sealKeys, given, (sealKey) => seal(sealKey, time, raw.body));
    if (key === undefined) return invalidSignature('no key matches a seal of X-A-Seal');
    if (!isFresh(Number(time) * 1000, now(), TOLERANCE_MS))
      return stale('the time of X-A-Seal is more than 300 s away');
    const notice = readJsonBody(Notice, raw);
    return notice && notice.acct !== account ? invalidSignature('another account') : genuine(notice ?? null);
  },

  parseCallback({ value }) {
    if (!value) return { malformed: 'a member is missing or of another type' };
    const { eventId, caseId, txn, ref, mode, stage, sum } = value;
    if (stage === 'retrieval') return { events: [] };
    const about = { reference: ref, providerReference: txn, subReference: caseId, ...moneyOf(sum), ...modeOf(mode) };
    return { events: [{ kind: 'chargeback', providerStatus: stage, ...about, dedupeKey: `cb:${eventId}` }] };
  },

  acknowledge: acknowledgeBy({
    accepted: empty(204),
    invalid_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});
