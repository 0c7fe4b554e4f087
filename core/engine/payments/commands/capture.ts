/** Captures money that the bank has reserved, all of it or a part: once, and stored before the provider is called. */
import { compareDecimals, decimalsOf, fitsCurrency, JsonNumber, trimDecimal, type Money } from '@paywright/contract';
import { latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import { invalidField } from '../../../base/errors.ts';
import { moneyText } from '../../../base/text/money-text.ts';
import type { Logger } from 'pino';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { Registry } from '../../providers/registry.ts';
import { notPayable, throwIfRefused, type Answers } from '../present/answer.ts';
import type { LoadForCaller } from '../read/get.ts';
import { leaseExpired, leaseFor } from '../record/call-lease.ts';
import { withOperation } from '../record/operations.ts';
import { applyFacts } from '../state/apply-facts.ts';
import type { FeeOf } from '../state/fee.ts';
import type { Change, PaymentStore } from '../store/payment-store.ts';
import { authorisedAttempt } from '../state/authorised-attempt.ts';
import { toCaptureRequest } from '../submit/capture-request.ts';
import { GRACE_MS, settlesUntil } from '../submit/settle.ts';
import { keepAdapterState, toStoredPayment } from '../submit/stored-payment.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Caller } from '../types/caller.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

export interface CaptureDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly calls: Pick<ProviderCalls, 'capture'>;
  readonly registry: Pick<Registry, 'byName'>;
  readonly encrypter: Encrypter;
  readonly answers: Pick<Answers, 'current'>;
  readonly load: LoadForCaller;
  readonly feeOf: FeeOf;
  readonly config: { readonly callTimeoutMs: number };
  readonly now: () => Date;
  readonly log: Logger;
}

/** `amount` undefined: the whole authorised amount. */
export type CaptureCommand = (caller: Caller, id: number, amount: string | undefined) => Promise<PaymentAnswer>;

export function createCaptureCommand(deps: CaptureDeps): CaptureCommand {
  const { store, calls, registry, encrypter, answers, load, feeOf, config, now, log } = deps;

  /** The authorised attempt and the amount to capture of it. */
  function plan(record: PaymentRecord, amount: string | undefined): { attempt: Attempt; money: Money } {
    const attempt = authorisedAttempt(record);
    if (!attempt) throw notPayable(record, 'only an authorised payment can be captured');
    const { currency, providerCode } = attempt;
    if (!registry.byName(accountRefOf(attempt))?.adapter.capture)
      throw notPayable(record, `provider ${providerCode} captures automatically, or is off`);
    if (amount === undefined) return { attempt, money: { amount: attempt.amount, currency } };
    const money = { amount: trimDecimal(amount), currency };
    const refuse = (message: string): Error => invalidField('amount', new JsonNumber(amount), message);
    if (compareDecimals(money.amount, '0') <= 0) throw refuse('must be more than 0');
    if (!fitsCurrency(money)) throw refuse(`${currency} has ${decimalsOf(currency)} decimals`);
    if (compareDecimals(money.amount, attempt.amount) > 0)
      throw refuse(`more than was authorised: ${moneyText(attempt.amount, currency)}`);
    return { attempt, money };
  }

  return async function capture(caller, id, amount) {
    // If this refuses, the idempotency key is not bound to anything yet.
    plan(await load(caller, id), amount);
    await caller.operation?.bindPayment(id);
    const { requestId } = caller;
    const opened = await store.change(id, requestId, (current) => {
      const marked = withOperation(current, caller);
      const { attempt, money } = plan(current, amount);
      const capture = { ...toCaptureRequest(attempt, money), state: 'requested', requestedAt: now() } as const;
      const { reference, state, requestedAt } = capture;
      const changed = { ...attempt, capture: { reference, amount: money.amount, state, requestedAt } };
      const attempts = current.attempts.map((one) => (one.n === attempt.n ? changed : one));
      return { next: leaseFor({ ...marked, attempts }, config.callTimeoutMs + GRACE_MS, now()) };
    });
    const attempt = latestAttempt(opened.record)!;
    const { n, currency } = attempt;
    const request = toCaptureRequest(attempt, { amount: attempt.capture!.amount, currency });
    const payment = toStoredPayment(encrypter, opened.record, attempt);
    const outcome = await calls.capture(accountRefOf(attempt), payment, request, {
      deadlinePassed: leaseExpired(opened.record, now),
    });
    const fact = { type: 'capture_outcome', attempt: n, outcome, at: now() } as const;
    const settled = (current: PaymentRecord): Change => {
      const { next, notify = [] } = applyFacts(current, [fact], feeOf) ?? { next: current };
      return { next: keepAdapterState(encrypter, next, n, outcome), notify, endsLease: true };
    };
    const { record } = await store.change(id, requestId, settled, settlesUntil(now()));
    log.info({ requestId, paymentRequestId: id, attempt: n, outcome: outcome.outcome }, 'capture answered');
    // A callback may have been faster.
    if (latestAttempt(record)?.outcome === 'open') throwIfRefused(id, outcome, 'capture');
    return answers.current(record);
  };
}
