/** The answer of a call that did not fail: `OK`, or JSON where `Accept` names it. */
import { stringifyExact } from '@paywright/contract';
import type { PaymentAnswer, PaymentRequestView, PresentedPayment } from '../engine/payments/types/answer.ts';
import { setPaymentHeaders } from './middleware/errors.ts';
import type { Warning } from '../base/warnings.ts';
import type { Ctx } from './state.ts';
import { presentWarnings, setWarningHeaders } from './response-warnings.ts';

/** Plain data, so that it can be kept and given again. */
export interface Answer {
  /** Null: only `OK` was asked for, and nothing was presented for it. */
  readonly json: string | null;
  /** True: without `application/json` in `Accept` the answer is `OK` as plain text. */
  readonly isAcknowledgement: boolean;
  readonly paymentRequestId?: number;
  /** Said in headers too. */
  readonly warnings?: readonly Warning[];
  /**
   * What happens to its `Idempotency-Key` where it is not kept: `forget` after a call that did nothing; `release` where
   * the end is unknown, so that a repetition does what is missing.
   */
  readonly keyed?: 'forget' | 'release';
}

/** Presents the payment request only where the request asks for JSON. */
export async function answerPayment(
  ctx: Ctx,
  { id, present }: PaymentAnswer,
  given: readonly Warning[] | undefined = ctx.state.warnings,
): Promise<Answer> {
  const said = presentWarnings(given);
  const about = { isAcknowledgement: true, paymentRequestId: id, ...said };
  return { json: asksForJson(ctx) ? toJson(await present(), said) : null, ...about };
}

export function answerPaymentRequest(view: PaymentRequestView, given?: readonly Warning[]): Answer {
  const said = presentWarnings(given);
  return { json: toJson({ view, action: null }, said), isAcknowledgement: true, paymentRequestId: view.id, ...said };
}

function toJson({ view, action }: PresentedPayment, said: object): string {
  return stringifyExact({ result: 'OK', paymentRequest: view, action, ...said });
}

/** `{ "result": "OK", … }` with what was done. */
export function acknowledge(members: Readonly<Record<string, unknown>>, given?: readonly Warning[]): Answer {
  const said = presentWarnings(given);
  return { json: stringifyExact({ result: 'OK', ...members, ...said }), isAcknowledgement: true, ...said };
}

/** JSON whatever `Accept` says. */
export function answerJson(value: unknown, given?: readonly Warning[]): Answer {
  const said = given?.length ? { warnings: given } : {};
  return { json: stringifyExact(value), isAcknowledgement: false, ...said };
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
  return namesJson(ctx.get('Accept'));
}

/** True when the header names `application/json` itself; `*` does not, nor does a quality of 0. */
function namesJson(accept: string): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'application/json' && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}
