/** POST wechatPay: one notification about an order or a refund, signed by WeChat Pay, its content encrypted. */
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
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { CURRENCY, Fen, Order, toEvent } from '../order.ts';
import { openObject } from '../resource.ts';
import { refuseMessage } from '../signing.ts';

/** What was verified: WeChat Pay sent it now, for us. Only its content is still to be read. */
type Delivery =
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'order' | 'refund' | 'other'; readonly message: Readonly<Record<string, unknown>> };

const Notification = v.object({ event_type: v.string(), resource: v.looseObject({}) });

/** A notification of a refund names no currency: it is that of every domestic merchant. */
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

function kindOf(event: string): 'order' | 'refund' | 'other' {
  if (event.startsWith('TRANSACTION.')) return 'order';
  return event.startsWith('REFUND.') ? 'refund' : 'other';
}

function failure(message: string, status: number) {
  return json(JSON.stringify({ code: 'FAIL', message }), status);
}

export const callback = defineRoute<Options, Delivery>({
  path: 'wechatPay',
  method: 'POST',
  caller: 'server',
  reports: 'payments and refunds',
  contentTypes: ['application/json'],

  // The signature first: what nobody proved is not read.
  async verifySignature(raw, ctx) {
    const refused = await refuseMessage(raw, ctx);
    if (refused) return refused;
    const notification = readJsonBody(Notification, raw);
    if (!notification) return genuine({ kind: 'unreadable', reason: 'no notification that we can read' });
    const message = openObject(ctx.options, notification.resource);
    if (!message) return genuine({ kind: 'unreadable', reason: 'no APIv3 key of ours opens the resource' });
    if (message['mchid'] !== ctx.options.mchid) return invalidSignature('for another merchant');
    return genuine({ kind: kindOf(notification.event_type), message });
  },

  parseCallback({ value }) {
    if (value.kind === 'unreadable') return { malformed: value.reason };
    if (value.kind === 'other') return { events: [] };
    const unreadable = { malformed: `a member of the ${value.kind} is missing or of another form` };
    if (value.kind === 'order') {
      const order = readAs(Order, value.message);
      return order ? { events: [toEvent(order)] } : unreadable;
    }
    const refund = readAs(Refund, value.message);
    return refund ? { events: [toRefundEvent(refund)] } : unreadable;
  },

  acknowledge: acknowledgeBy({
    accepted: empty(204),
    invalid_signature: failure('signature', 401),
    stale: failure('time', 401),
    malformed: failure('body', 400),
    try_later: failure('later', 503),
  }),
});
