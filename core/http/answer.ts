/** What a call that did not fail answers: `OK`, or JSON for those who ask for it. */
import { paymentMethods, stringifyExact } from '@gateway/contract';
import * as v from 'valibot';
import { declineReasons, GatewayError } from '../errors.ts';
import { status } from '../payments/facts.ts';
import type { PaymentAnswer, PaymentRequestView } from '../payments/service.ts';
import { setPaymentHeaders } from './middleware/errors.ts';
import type { Ctx } from './state.ts';

/** Plain data, so that it can be kept and given again. */
export interface Answer {
  readonly json: string;
  /** True: whoever does not name `application/json` in `Accept` gets `OK` as plain text. */
  readonly isAcknowledgement: boolean;
  readonly paymentRequestId?: number;
  /** False: it did nothing, so an `Idempotency-Key` need not remember it. */
  readonly isOutcome?: boolean;
}

export function answerPayment({ view, action }: PaymentAnswer): Answer {
  const json = stringifyExact({ result: 'OK', paymentRequest: view, action });
  return { json, isAcknowledgement: true, paymentRequestId: view.id };
}

export function answerPaymentRequest(view: PaymentRequestView): Answer {
  return answerPayment({ view, action: null });
}

/**
 * For a request whose first run ended without an answer: the payment request as it stands. A failed one is no `OK`:
 * throws the refusal that its last log entry tells of.
 */
export function answerAsItStands(view: PaymentRequestView): Answer {
  if (view['paymentRequestStatusId'] !== status.failed) return answerPaymentRequest(view);
  const { lastLog, paymentMethodId } = v.parse(Failed, view);
  const code = lastLog.code in declineReasons ? (lastLog.code as keyof typeof declineReasons) : '05';
  const reason = declineReasons[code];
  const [kind, details] = upiMethods.includes(paymentMethodId)
    ? (['UPI_TRANSACTION_FAILED', { upiResponse: code, reason }] as const)
    : (['CARD_DECLINED', { declineCode: code, declineReason: reason }] as const);
  throw new GatewayError(kind, `the payment was declined: ${reason}`, { details, paymentRequestId: view.id });
}

const upiMethods: readonly number[] = [paymentMethods.upi_collect, paymentMethods.upi_intent, paymentMethods.upi_qr];
const Failed = v.object({ lastLog: v.object({ code: v.optional(v.string(), '') }), paymentMethodId: v.number() });

/** `{ "result": "OK", … }` with what was done. */
export function acknowledge(members: Readonly<Record<string, unknown>>): Answer {
  return { json: stringifyExact({ result: 'OK', ...members }), isAcknowledgement: true };
}

/** JSON whatever `Accept` says. */
export function answerJson(value: unknown): Answer {
  return { json: stringifyExact(value), isAcknowledgement: false };
}

export function send(ctx: Ctx, { json, isAcknowledgement, paymentRequestId }: Answer): void {
  if (paymentRequestId !== undefined) ctx.state.paymentRequestId = paymentRequestId;
  const asText = isAcknowledgement && !namesJson(ctx.get('Accept'));
  ctx.status = 200;
  ctx.body = asText ? 'OK' : json;
  ctx.type = asText ? 'text/plain' : 'application/json';
  if (isAcknowledgement) ctx.vary('Accept');
  setPaymentHeaders(ctx);
}

/** True when the header names `application/json` itself; `*` does not, nor does a quality of 0. */
export function namesJson(accept: string): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'application/json' && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}
