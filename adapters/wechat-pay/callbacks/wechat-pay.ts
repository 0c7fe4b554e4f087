/** POST wechat-pay: a notification about an order or a refund. WeChat Pay signs it and encrypts its content. */
import {
  acknowledgeBy,
  defineRoute,
  defined,
  empty,
  filled,
  genuine,
  invalidSignature,
  json,
  lenient,
  moneyFromMinor,
  readAs,
  readJsonBody,
  rfc3339,
  v,
  type Parsed,
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { CURRENCY, Fen, Order, toEvent } from '../order.ts';
import { openObject } from '../resource.ts';
import { refuseMessage } from '../signing.ts';

/** A verified notification for this merchant. */
type Delivery =
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'order' | 'refund'; readonly content: Readonly<Record<string, unknown>> };

/** Our references begin with it. Orders of other systems at the same account have other names. */
const OUR_PREFIX = 'GW-';

const Notification = v.object({ event_type: v.string(), resource: v.looseObject({}) });
const Named = v.object({ out_trade_no: filled });

/** A notification of a refund names no currency. Every domestic merchant has the same one. */
const Refund = v.object({
  out_trade_no: filled,
  transaction_id: filled,
  refund_id: filled,
  out_refund_no: filled,
  refund_status: filled,
  success_time: lenient(rfc3339),
  amount: v.object({ refund: Fen }),
});

function toRefundEvent(refund: v.InferOutput<typeof Refund>): ReportedEvent {
  const { out_trade_no, transaction_id, refund_id, refund_status, success_time, amount } = refund;
  return {
    kind: 'refund',
    providerStatus: refund_status,
    reference: out_trade_no,
    providerReference: transaction_id,
    subReference: refund_id,
    ...moneyFromMinor(amount.refund, CURRENCY),
    dedupeKey: `${refund_id}:${refund_status}`,
    ...defined({ occurredAt: success_time }),
  };
}

function kindOf(event: string): Delivery['kind'] {
  if (event.startsWith('TRANSACTION.')) return 'order';
  return event.startsWith('REFUND.') ? 'refund' : 'other';
}

function readEvents(kind: 'order' | 'refund', content: Readonly<Record<string, unknown>>): Parsed {
  const named = readAs(Named, content);
  if (named && !named.out_trade_no.startsWith(OUR_PREFIX)) return { events: [] };
  const order = kind === 'order' ? readAs(Order, content) : undefined;
  if (order) return { events: [toEvent(order)] };
  const refund = kind === 'refund' ? readAs(Refund, content) : undefined;
  if (refund) return { events: [toRefundEvent(refund)] };
  return { malformed: `a member of the ${kind} is missing or invalid` };
}

function failure(message: string, status: number) {
  return json(JSON.stringify({ code: 'FAIL', message }), status);
}

export const notification = defineRoute<Options, Delivery>({
  path: 'wechat-pay',
  method: 'POST',
  caller: 'server',
  reports: 'payments and refunds',
  contentTypes: ['application/json'],

  // The signature comes first: nothing else of an unverified message is read.
  async verifySignature(raw, ctx) {
    const refused = await refuseMessage(raw, ctx);
    if (refused) return refused;
    const read = readJsonBody(Notification, raw);
    if (!read) return genuine({ kind: 'unreadable', reason: 'the body is not a notification' });
    const content = openObject(ctx.options, read.resource);
    if (!content) return genuine({ kind: 'unreadable', reason: 'no APIv3 key opens the resource' });
    const kind = kindOf(read.event_type);
    // Notifications about other products may name no merchant.
    const { mchid } = content;
    const isOurs = mchid === ctx.options.mchid || (kind === 'other' && mchid === undefined);
    if (!isOurs) return invalidSignature('for another merchant');
    return genuine(kind === 'order' || kind === 'refund' ? { kind, content } : { kind: 'other' });
  },

  parseCallback({ value }) {
    if (value.kind === 'unreadable') return { malformed: value.reason };
    return value.kind === 'other' ? { events: [] } : readEvents(value.kind, value.content);
  },

  acknowledge: acknowledgeBy({
    accepted: empty(204),
    invalid_signature: failure('signature', 401),
    stale: failure('time', 401),
    malformed: failure('body', 400),
    try_later: failure('later', 503),
  }),
});
