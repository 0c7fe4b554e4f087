/** The payment: what we ask, and what every answer about one says. */
import {
  declineOf,
  JsonNumber,
  jsonDigits,
  misconfigured,
  nothingCharged,
  readAs,
  readJsonObject,
  stringifyExact,
  toMinor,
  unknown,
  v,
  type AttemptFacts,
  type HttpReply,
  type HttpRequest,
  type Outcome,
  type AdapterContext,
  type Submission,
} from '@gateway/contract';
// for: billing
//: import { webAddress } from '@gateway/contract';
// end
// for: upi
//: import { readRfc3339 } from '@gateway/contract';
// end
import type { Options } from './options.ts';
import { decide, undecided } from './undecided.ts';
import { declines } from './statuses.ts';

/** An answer about a payment; amounts are in minor units. */
const Answer = v.object({
  id: v.pipe(v.string(), v.minLength(1)),
  reference: v.string(),
  amount: jsonDigits(15),
  currency: v.string(),
  status: v.pipe(v.string(), v.minLength(1)),
  reason: v.nullish(v.string()),
  refunded: v.optional(jsonDigits(15)),
  // for: billing
  //: payUrl: v.optional(webAddress),
  // end
  // for: upi
  //: expiresAt: v.optional(v.string()),
  // end
});
export type Answer = v.InferOutput<typeof Answer>;

/** A POST that may be repeated: the key is the same for every repetition of one attempt. */
export function post({ apiKey }: Options, path: string, idempotencyKey: string, body: unknown): HttpRequest {
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${apiKey}`,
    'Idempotency-Key': idempotencyKey,
  };
  return { method: 'POST', path, headers, body: stringifyExact(body) };
}

export function paymentRequest(payment: Submission, ctx: AdapterContext<Options>): HttpRequest {
  const { reference, money, payer, paymentRequestId } = payment;
  const body = {
    account: ctx.options.account,
    reference,
    amount: new JsonNumber(toMinor(money)),
    currency: money.currency,
    payer: { name: payer.name, email: payer.email, country: payer.country },
    // for: card
    card: payment.card && {
      number: payment.card.number,
      month: payment.card.expiryMonth,
      year: payment.card.expiryYear,
      cvc: payment.card.cvv,
    },
    // end
    // for: token
    //: token: payment.token,
    // end
    // for: upi
    //: upiId: payment.upiId,
    // end
    noticeUrl: ctx.callbackUrl('newProvider'),
    returnUrl: ctx.returnUrl(paymentRequestId),
  };
  return post(ctx.options, decide(undecided.request, '/v1/payments'), reference, body);
}

/** An answer that can be read whole and is about this payment; undefined for any other. */
export function readAnswer(reply: HttpReply, { reference, money }: AttemptFacts): Answer | undefined {
  const answer = readAs(Answer, readJsonObject(reply.body));
  const asked = answer?.reference === reference && answer.currency === money.currency;
  return asked && answer.amount === toMinor(money) ? answer : undefined;
}

export function paymentOutcome(reply: HttpReply, payment: AttemptFacts): Outcome {
  if (reply.status !== decide(undecided.answer, 200)) return errorOutcome(reply);
  const answer = readAnswer(reply, payment);
  if (!answer) return unknown('the answer cannot be read, or is about another payment');
  const { id: providerReference, status, reason } = answer;
  switch (status) {
    case 'paid':
      return { outcome: 'succeeded', providerReference };
    case 'refused':
      return { outcome: 'failed', providerReference, ...declineOf(declines, reason) };
    case 'waiting': {
      const pending = { outcome: 'pending', providerReference } as const;
      // for: billing
      //: const { payUrl: url } = answer;
      //: if (url !== undefined) return { ...pending, action: { type: 'redirect', method: 'GET', url } };
      // end
      // for: upi
      //: const expiry = readRfc3339(answer.expiresAt ?? '');
      //: if (expiry) return { ...pending, action: { type: 'upi', mode: 'collect', expiry: toSeconds(expiry) } };
      // end
      return pending;
    }
    default:
      return { outcome: 'unknown', providerReference, unknownStatus: status };
  }
}

const Refusal = v.object({ error: v.object({ code: v.string(), charged: v.boolean() }) });

/** What an error answer of any POST means. Only New Provider's own word says that nothing was charged. */
export function errorOutcome(reply: HttpReply): Outcome {
  const error = readAs(Refusal, readJsonObject(reply.body))?.error;
  const named = `New Provider answered ${reply.status}${error ? ` ${error.code}` : ''}`;
  if (reply.status === 401 && error?.charged === false) return misconfigured(`${named}: check apiKey and account`);
  return error?.charged === false || reply.status === 429 ? nothingCharged(named) : unknown(named);
}
// for: upi
//:
//: function toSeconds(time: Date): string {
//:   return `${time.toISOString().slice(0, 19)}Z`;
//: }
// end
