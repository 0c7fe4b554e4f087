/** POST newProvider: one message with a seal over its time and bytes. */
import {
  acknowledgeBy,
  defineRoute,
  empty,
  filled,
  genuine,
  invalidSignature,
  jsonDigits,
  malformed,
  moneyFromMinor,
  readJsonBody,
  text,
  toEventDecline,
  v,
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { refuseSeal } from '../signing.ts';
import { refusalOf } from '../statuses.ts';
import { decide, undecided } from '../undecided.ts';

/** `about` names the refund or the dispute, if the message is about one. The amount is in minor units. */
const Message = v.object({
  account: v.string(),
  mode: v.picklist(['live', 'test']),
  kind: v.picklist(['payment', 'refund', 'chargeback']),
  payment: filled,
  about: v.nullish(filled),
  reference: v.string(),
  amount: jsonDigits(15),
  currency: v.string(),
  status: filled,
  reason: v.nullish(v.string()),
  /** For a dispute: the deadline for a response. */
  respondUntil: v.nullish(v.pipe(v.string(), v.maxLength(40))),
});
export type Message = v.InferOutput<typeof Message>;
const Named = v.object({ account: v.string() });

function toEvent(message: Message): ReportedEvent {
  const { kind, payment, about, reference, amount, currency, status, reason, respondUntil, mode } = message;
  const isRefusal = kind === 'payment' && status === decide(undecided.event, 'refused');
  return {
    kind,
    providerStatus: status,
    reference,
    providerReference: payment,
    ...(about ? { subReference: about } : {}),
    ...moneyFromMinor(amount, currency),
    // The operation and its result: a repetition, or the same fact in a status answer, is the same event.
    dedupeKey: `${about ?? payment}:${status}`,
    ...(isRefusal ? toEventDecline(refusalOf(reason)) : {}),
    ...(respondUntil ? { details: { respondUntil } } : {}),
    mode,
  };
}

export const callback = defineRoute<Options, Message>({
  path: 'newProvider',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and disputes',

  // A hint proves nothing: it chooses the accounts whose secrets are tried.
  accountHint: (raw) => readJsonBody(Named, raw)?.account,

  // Check the seal first: an unproven message is not read.
  verifySignature(raw, ctx) {
    const refused = refuseSeal(raw, ctx);
    if (refused) return refused;
    const message = readJsonBody(Message, raw);
    if (!message) return malformed('the message cannot be read');
    return message.account === ctx.options.account ? genuine(message) : invalidSignature('for another account');
  },
  parseCallback: ({ value }) => ({ events: [toEvent(value)] }),
  acknowledge: acknowledgeBy({
    accepted: decide(undecided.acknowledgement, text('received')),
    invalid_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});
