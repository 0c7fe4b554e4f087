/** The answer of a call that did not fail: `OK`, or JSON where `Accept` names it. */
import { stringifyExact } from '@gateway/contract';
import type { PaymentAnswer, PaymentRequestView } from '../payments/service.ts';
import { setPaymentHeaders } from './middleware/errors.ts';
import type { Warning } from '../warnings.ts';
import type { Ctx } from './state.ts';
import { presentWarnings, setWarningHeaders } from './warn.ts';

/** Plain data, so that it can be kept and given again. */
export interface Answer {
  readonly json: string;
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

export function answerPayment({ view, action }: PaymentAnswer, given?: readonly Warning[]): Answer {
  const said = presentWarnings(given);
  const json = stringifyExact({ result: 'OK', paymentRequest: view, action, ...said });
  return { json, isAcknowledgement: true, paymentRequestId: view.id, ...said };
}

export function answerPaymentRequest(view: PaymentRequestView, given?: readonly Warning[]): Answer {
  return answerPayment({ view, action: null }, given);
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
  const asText = isAcknowledgement && !namesJson(ctx.get('Accept'));
  ctx.status = 200;
  ctx.body = asText ? 'OK' : json;
  ctx.type = asText ? 'text/plain' : 'application/json';
  if (isAcknowledgement) ctx.vary('Accept');
  setPaymentHeaders(ctx);
  setWarningHeaders(ctx, warnings);
}

/** True when the header names `application/json` itself; `*` does not, nor does a quality of 0. */
export function namesJson(accept: string): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'application/json' && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}
