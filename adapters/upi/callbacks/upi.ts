/** Callback `POST upi`: payments, refunds and disputes. A salted hash over the blob verifies them. */
import {
  acknowledgeBy,
  defineRoute,
  genuine,
  invalidSignature,
  json,
  jsonInteger,
  malformed,
  onlyHeader,
  readAs,
  v,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { statuses } from '../statuses.ts';
import { toEvent, Transaction, type Subject } from '../transaction.ts';
import { isRightCheck, openBlob, readBlob } from '../wire.ts';

const Head = v.object({ mid: v.string() });
const Notice = v.object({
  ...Transaction.entries,
  ok: v.optional(v.boolean()),
  code: v.optional(v.string()),
  r_txn: v.optional(v.unknown()),
  d_no: v.optional(v.unknown()),
  /** The time of the event, in Unix milliseconds. */
  at: jsonInteger(),
});
type Notice = v.InferOutput<typeof Notice>;

/** The message in a verified blob. Undefined if it does not name a merchant. */
type Delivery = { readonly message: unknown } | 'another merchant' | undefined;

export const callback = defineRoute<Options, Delivery>({
  path: 'upi',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes',
  contentTypes: ['application/json'],

  accountHint: ({ body }) => readAs(Head, openBlob(readBlob(body) ?? ''))?.mid,

  /**
   * Verifies the blob before it is opened. The hash does not cover the event id in `X-U-Event`, so anyone can change
   * it.
   */
  verifySignature(raw, { options }) {
    const blob = readBlob(raw.body);
    if (blob === undefined) return malformed('not a JSON object with a blob');
    const isRight = isRightCheck(onlyHeader(raw, 'X-U-Check') ?? '', blob, options.salts);
    if (!isRight) return invalidSignature('X-U-Check is missing, repeated or wrong');
    const message = openBlob(blob);
    const head = readAs(Head, message);
    if (head && head.mid !== options.merchantId) return genuine<Delivery>('another merchant');
    return genuine<Delivery>(head && { message });
  },

  parseCallback({ value }) {
    if (!value) return { malformed: 'the blob is not a JSON object with a mid' };
    if (value === 'another merchant') return { events: [] };
    const notice = readAs(Notice, value.message);
    const subject = notice && subjectOf(notice);
    if (!subject) return { malformed: 'a member is missing or of another type' };
    const occurredAt = new Date(notice.at);
    const isTime = !Number.isNaN(occurredAt.getTime());
    return { events: [{ ...toEvent(notice, subject), orderHint: notice.at, ...(isTime ? { occurredAt } : {}) }] };
  },

  acknowledge: acknowledgeBy({
    accepted: json('{"status":"SUCCESS"}'),
    invalid_signature: json('{"status":"FAILURE","code":"CHECK"}', 401),
    malformed: json('{"status":"FAILURE","code":"FORMAT"}', 400),
    try_later: json('{"status":"RETRY"}', 503),
  }),
});

/** Undefined if a refund or dispute has no number, with any status. */
function subjectOf({ state, r_txn, d_no }: Notice): Subject | undefined {
  const isRefund = state.startsWith('REFUND_');
  if (!isRefund && !state.startsWith('DISPUTE')) return { kind: 'payment' };
  const subReference = isRefund ? r_txn : d_no;
  if (typeof subReference !== 'string') return undefined;
  if (Object.hasOwn(statuses.refund, state)) return { kind: 'refund', subReference };
  return Object.hasOwn(statuses.chargeback, state) ? { kind: 'chargeback', subReference } : { kind: 'payment' };
}
