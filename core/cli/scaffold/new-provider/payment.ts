/** A payment as every answer of New Provider shows it, and the meaning of the answer. */
import {
  filled,
  jsonDigits,
  moneyFromMinor,
  readJsonBody,
  // for: upi
  //: readRfc3339,
  // end
  toEventDecline,
  toMinor,
  toPaymentOutcome,
  unknown,
  v,
  // for: card billing token
  webAddress,
  // end
  // for: upi
  //: writeRfc3339,
  // end
  type Action,
  // for: card token
  type AdapterContext,
  // end
  type AttemptFacts,
  type HttpReply,
  type Outcome,
  type ReportedEvent,
} from '@paywright/contract';
// for: card token
import type { Options } from './options.ts';
// end
import { mapStatus, refusalOf } from './statuses.ts';
import { decide, undecided } from './undecided.ts';
import { errors } from './wire.ts';

/** Amounts are in minor units. */
const Answer = v.object({
  id: filled,
  reference: v.string(),
  amount: jsonDigits(15),
  currency: v.string(),
  status: filled,
  reason: v.nullish(v.string()),
  refunded: v.optional(jsonDigits(15)),
  // for: card token
  challenge: v.nullish(v.object({ id: v.string(), url: webAddress, creq: v.string(), ended: v.boolean() })),
  threeDs: v.nullish(v.picklist(['authenticated', 'attempted', 'none'])),
  // end
  // for: billing
  //: payUrl: v.optional(webAddress),
  // end
  // for: upi
  //: expiresAt: v.optional(v.string()),
  // end
});
export type Answer = v.InferOutput<typeof Answer>;

/** Returns the answer if it is complete and about this payment; otherwise undefined. */
export function readAnswer(reply: HttpReply, { reference, money }: AttemptFacts): Answer | undefined {
  const answer = readJsonBody(Answer, reply);
  const asked = answer?.reference === reference && answer.currency === money.currency;
  return asked && answer.amount === toMinor(money) ? answer : undefined;
}

/** The event of the payment's status, for a fetch. */
export function toEvent(answer: Answer): ReportedEvent {
  const { id, reference, amount, currency, status, reason } = answer;
  // for: billing upi
  //: const action = actionOf(answer);
  // end
  return {
    kind: 'payment',
    providerStatus: status,
    reference,
    providerReference: id,
    ...moneyFromMinor(amount, currency),
    dedupeKey: `${id}:${status}`,
    ...(status === 'refused' ? toEventDecline(refusalOf(reason)) : {}),
    // for: card token
    ...(answer.threeDs ? { threeDs: answer.threeDs } : {}),
    // The payer was at the bank, but the payment is not completed yet.
    ...(status === 'challenge' && answer.challenge?.ended ? { awaitsCompletion: true } : {}),
    // end
    // for: billing upi
    //: ...(action ? { action } : {}),
    // end
  };
}

/** The outcome of the answer to a payment or to its completion. */
// for: billing upi
//: export function paymentOutcome(reply: HttpReply, payment: AttemptFacts): Outcome {
// end
// for: card token
export function paymentOutcome(reply: HttpReply, payment: AttemptFacts, ctx: AdapterContext<Options>): Outcome {
  // end
  if (reply.status !== decide(undecided.answer, 200)) return errors.toOutcome(reply);
  const answer = readAnswer(reply, payment);
  if (!answer) return unknown('the answer cannot be read, or is about another payment');
  const { id: providerReference, status: providerStatus, reason } = answer;
  // for: billing upi
  //: return toPaymentOutcome(mapStatus(toEvent(answer), 'fetch'), {
  //:   providerReference,
  //:   providerStatus,
  //:   action: actionOf(answer),
  //:   decline: refusalOf(reason),
  //: });
  // end
  // for: card token
  const outcome = toPaymentOutcome(mapStatus(toEvent(answer), 'fetch'), {
    providerReference,
    providerStatus,
    action: actionOf(answer, ctx),
    noAction: providerStatus === 'challenge' ? 'a challenge without its form' : undefined,
    decline: refusalOf(reason),
  });
  return { ...outcome, ...(answer.threeDs ? { threeDs: answer.threeDs } : {}) };
  // end
}
// for: card token

/** The payer's browser posts this form to the bank, whose page posts the gateway's token back to /callbacks/3ds. */
function actionOf({ status, challenge }: Answer, { threeDsToken = '' }: AdapterContext<Options>): Action | undefined {
  if (status !== 'challenge' || !challenge) return undefined;
  const { id, url, creq } = challenge;
  const fields = { creq, threeDSSessionData: threeDsToken };
  return { type: 'redirect', method: 'POST', url, fields, transactionId: id };
}
// end
// for: billing
//:
//: /** The payer pays at New Provider's page. */
//: function actionOf({ status, payUrl: url }: Answer): Action | undefined {
//:   return status === 'waiting' && url !== undefined ? { type: 'redirect', method: 'GET', url } : undefined;
//: }
// end
// for: upi
//:
//: /** The payer confirms in the app of the bank. */
//: function actionOf({ status, expiresAt = '' }: Answer): Action | undefined {
//:   const expiry = status === 'waiting' ? readRfc3339(expiresAt) : undefined;
//:   return expiry && { type: 'upi', mode: 'collect', expiry: writeRfc3339(expiry) };
//: }
// end
