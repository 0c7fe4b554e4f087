/** CaptureChecks money that the bank reserved, all of it or a part: once, and stored before the provider is called. */
import {
  compareDecimals,
  decimalsOf,
  fitsCurrency,
  JsonNumber,
  trimDecimal,
  type CaptureRequest,
  type Money,
  type VoidRequest,
} from '@paywright/contract';
import { latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { invalidField } from '../../../base/errors.ts';
import { moneyText } from '../../../base/text/money-text.ts';
import type { PaymentsDeps } from '../deps.ts';
import type { Caller } from '../types/caller.ts';
import type { Payments } from '../service.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { leaseExpired, leaseUntil } from '../record/call-lease.ts';
import type { Change } from '../store/payment-store.ts';
import { withOperation } from '../store/operations.ts';
import { notPayable, throwIfRefused, type Answers } from '../present/answer.ts';
import { keepAdapterState, toStoredPayment } from '../submit/stored-payment.ts';
import { GRACE_MS, settlesUntil } from '../submit/submit.ts';

export interface CapturingDeps extends PaymentsDeps {
  readonly answers: Answers;
  /** Throws NF001 where the caller may not see it. */
  readonly load: (caller: Caller, id: number) => Promise<PaymentRecord>;
}

export function createCapturing(deps: CapturingDeps): Pick<Payments, 'capture'> {
  const { store, calls, registry, encrypter, answers, load, feeOf, config, now, log } = deps;

  /** The authorised attempt, and what is collected of it. */
  function plan(record: PaymentRecord, amount: string | undefined): { attempt: Attempt; money: Money } {
    const attempt = authorisedAttempt(record);
    if (!attempt) throw notPayable(record, 'only an authorised payment can be captured');
    const { currency, adapter, providerCode } = attempt;
    if (!registry.byName(adapter)?.adapter.capture)
      throw notPayable(record, `provider ${providerCode} captures by itself, or is off`);
    if (amount === undefined) return { attempt, money: { amount: attempt.amount, currency } };
    const money = { amount: trimDecimal(amount), currency };
    const refuse = (message: string): Error => invalidField('amount', new JsonNumber(amount), message);
    if (compareDecimals(money.amount, '0') <= 0) throw refuse('must be more than 0');
    if (!fitsCurrency(money)) throw refuse(`${currency} has ${decimalsOf(currency)} decimals`);
    if (compareDecimals(money.amount, attempt.amount) > 0)
      throw refuse(`more than was authorised: ${moneyText(attempt.amount, currency)}`);
    return { attempt, money };
  }

  return {
    async capture(caller, id, amount) {
      plan(await load(caller, id), amount); // Refused here, the idempotency key is not bound to anything yet.
      await caller.operation?.bindPayment(id);
      const { requestId } = caller;
      const opened = await store.change(id, requestId, (current) => {
        const marked = withOperation(current, caller);
        const { attempt, money } = plan(current, amount);
        const capture = { ...toCaptureRequest(attempt, money), state: 'requested', requestedAt: now() } as const;
        const { reference, state, requestedAt } = capture;
        const changed = { ...attempt, capture: { reference, amount: money.amount, state, requestedAt } };
        const attempts = current.attempts.map((one) => (one.n === attempt.n ? changed : one));
        const until = new Date(now().getTime() + config.callTimeoutMs + GRACE_MS);
        return { next: leaseUntil({ ...marked, attempts }, until, now()) };
      });
      const attempt = latestAttempt(opened.record)!;
      const { adapter, n, currency } = attempt;
      const request = toCaptureRequest(attempt, { amount: attempt.capture!.amount, currency });
      const payment = toStoredPayment(encrypter, opened.record, attempt);
      const outcome = await calls.capture(adapter, payment, request, { isOver: leaseExpired(opened.record, now) });
      const fact = { type: 'capture_outcome', attempt: n, outcome, at: now() } as const;
      const settled = (current: PaymentRecord): Change => {
        const { next, notify = [] } = applyFacts(current, [fact], feeOf) ?? { next: current };
        return { next: keepAdapterState(encrypter, next, n, outcome), notify, endsLease: true };
      };
      const { record } = await store.change(id, requestId, settled, settlesUntil(now()));
      log.info({ requestId, paymentRequestId: id, attempt: n, outcome: outcome.outcome }, 'capture answered');
      // A callback may have been quicker.
      if (latestAttempt(record)?.outcome === 'open') throwIfRefused(id, outcome, 'capture');
      return answers.current(record);
    },
  };
}

/** The attempt whose money the bank reserved, of a payment that nobody has paid, while it is neither collected nor released. */
export function authorisedAttempt(record: PaymentRecord): Attempt | undefined {
  const attempt = latestAttempt(record);
  if (record.statusId !== status.pending) return undefined;
  const isFree = attempt?.outcome === 'open' && attempt.authorisedAt && !attempt.capture && !attempt.voidRequestedAt;
  return isFree ? attempt : undefined;
}

export function toCaptureRequest(attempt: Attempt, money: Money): CaptureRequest {
  return { reference: `${attempt.reference}-C${numberOf(attempt)}`, money };
}

export function toVoidRequest(attempt: Attempt): VoidRequest {
  return { reference: `${attempt.reference}-V${numberOf(attempt)}` };
}

/** Under the name of a request that it refused a provider would give its first answer again. */
function numberOf({ refusedRequests = 0 }: Attempt): string {
  return refusedRequests > 0 ? String(refusedRequests + 1) : '';
}
