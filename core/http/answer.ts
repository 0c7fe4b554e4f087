/** The answer of a call that succeeded: `OK`, or JSON if `Accept` names it. */
import { stringifyExact } from '@paywright/contract';
import type { PaymentAnswer, PaymentRequestView, PresentedPayment } from '../engine/payments/types/answer.ts';
import { setPaymentHeaders } from './middleware/errors.ts';
import type { Warning } from '../base/warnings.ts';
import type { Ctx } from './state.ts';
import { presentWarnings, setWarningHeaders } from './response-warnings.ts';

/** Plain data, so that it can be stored and sent again for a repeated request. */
export interface Answer {
  /** Null: the caller asked only for `OK`, so no JSON was rendered. */
  readonly json: string | null;
  /** True: without `application/json` in `Accept` the answer is `OK` as plain text. */
  readonly isAcknowledgement: boolean;
  readonly paymentRequestId?: number;
  /** The warnings of the answer. They are also sent as headers. */
  readonly warnings?: readonly Warning[];
  /**
   * What happens to the `Idempotency-Key` if this answer is not stored. `forget`: the call did nothing. `release`: the
   * outcome is unknown, so a repeated request does what is missing.
   */
  readonly keyed?: 'forget' | 'release';
}

/** Renders the payment request only if the request asks for JSON. */
export async function answerPayment(
  ctx: Ctx,
  { id, present }: PaymentAnswer,
  given: readonly Warning[] | undefined = ctx.state.warnings,
): Promise<Answer> {
  const warned = presentWarnings(given);
  const about = { isAcknowledgement: true, paymentRequestId: id, ...warned };
  return { json: asksForJson(ctx) ? toJson(await present(), warned) : null, ...about };
}

export function answerPaymentRequest(view: PaymentRequestView, given?: readonly Warning[]): Answer {
  const warned = presentWarnings(given);
  return {
    json: toJson({ view, action: null }, warned),
    isAcknowledgement: true,
    paymentRequestId: view.id,
    ...warned,
  };
}

function toJson({ view, action }: PresentedPayment, warned: object): string {
  return stringifyExact({ result: 'OK', paymentRequest: view, action, ...warned });
}

/** `{ "result": "OK", … }` with what was done. */
export function acknowledge(members: Readonly<Record<string, unknown>>, given?: readonly Warning[]): Answer {
  const warned = presentWarnings(given);
  return { json: stringifyExact({ result: 'OK', ...members, ...warned }), isAcknowledgement: true, ...warned };
}

/** Answers JSON, whatever `Accept` says. */
export function answerJson(value: unknown, given?: readonly Warning[]): Answer {
  const warned = given?.length ? { warnings: given } : {};
  return { json: stringifyExact(value), isAcknowledgement: false, ...warned };
}

export function send(ctx: Ctx, { json, isAcknowledgement, paymentRequestId, warnings }: Answer): void {
  if (paymentRequestId !== undefined) ctx.state.paymentRequestId = paymentRequestId;
  const asText = isAcknowledgement && !asksForJson(ctx);
  ctx.status = 200;
  ctx.body = asText ? 'OK' : json;
  ctx.type = asText ? 'text/plain' : 'application/json';
  if (isAcknowledgement) ctx.vary('Accept');
  setPaymentHeaders(ctx);
  setWarningHeaders(ctx, warnings);
}

export function asksForJson(ctx: Ctx): boolean {
  return acceptsJson(ctx.get('Accept'));
}

/** True if the header names `application/json` itself; `*` does not count, nor does a quality of 0. */
function acceptsJson(accept: string): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'application/json' && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}
