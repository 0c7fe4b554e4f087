/** POST upi: payments, refunds and disputes, proven by a salted hash over the blob. */
import {
  acknowledgeBy,
  defineRoute,
  forged,
  genuine,
  json,
  jsonInteger,
  malformed,
  onlyHeader,
  readAs,
  v,
  type Parsed,
  type Provider,
  type RawCallback,
  type Verdict,
} from '@gateway/contract';
import { isRightCheck, openBlob, readBlob } from './wire.ts';
import type { Options } from './options.ts';
import { toEvent, transactionEntries, words, type Subject } from './transaction.ts';

/** Proves the blob as it came; what is in it is not looked at yet. The event id in `X-U-Event` is not covered: anyone can change it. */
function prove(raw: RawCallback, { options }: Provider<Options>): Verdict<string> {
  const blob = readBlob(raw.body);
  if (blob === undefined) return malformed('not a JSON object with a blob');
  const check = onlyHeader(raw, 'X-U-Check') ?? '';
  return isRightCheck(check, blob, options.salts) ? genuine(blob) : forged('X-U-Check is missing, repeated or wrong');
}

const Head = v.object({ mid: v.string() });
const Notice = v.object({
  ...transactionEntries,
  ok: v.optional(v.boolean()),
  code: v.optional(v.string()),
  r_txn: v.optional(v.unknown()),
  d_no: v.optional(v.unknown()),
  at: jsonInteger(),
});
type Notice = v.InferOutput<typeof Notice>;

function parse(blob: string, { merchantId }: Options): Parsed {
  const message = openBlob(blob);
  const head = readAs(Head, message);
  if (!head) return { malformed: 'the blob is no JSON object with a mid' };
  if (head.mid !== merchantId) return { events: [] };
  const notice = readAs(Notice, message);
  const subject = notice && subjectOf(notice);
  if (!subject) return { malformed: 'a member is missing or of another type' };
  const occurredAt = new Date(notice.at);
  const isTime = !Number.isNaN(occurredAt.getTime());
  return { events: [{ ...toEvent(notice, subject), orderHint: notice.at, ...(isTime ? { occurredAt } : {}) }] };
}

/** Undefined where a refund or dispute has no number, whatever its word. */
function subjectOf({ state, r_txn, d_no }: Notice): Subject | undefined {
  const isRefund = state.startsWith('REFUND_');
  if (!isRefund && !state.startsWith('DISPUTE')) return { kind: 'payment' };
  const number = isRefund ? r_txn : d_no;
  if (typeof number !== 'string') return undefined;
  if (Object.hasOwn(words.refund, state)) return { kind: 'refund', subReference: number };
  return Object.hasOwn(words.chargeback, state) ? { kind: 'chargeback', subReference: number } : { kind: 'payment' };
}

export const hook = defineRoute<Options, string>({
  path: 'upi',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes',
  verifySignature: prove,
  parseCallback: ({ value }, { options }) => parse(value, options),
  acknowledge: acknowledgeBy({
    accepted: json('{"status":"SUCCESS"}'),
    bad_signature: json('{"status":"FAILURE","code":"CHECK"}', 401),
    malformed: json('{"status":"FAILURE","code":"FORMAT"}', 400),
    try_later: json('{"status":"RETRY"}', 503),
  }),
});
