/** Everything that goes to a provider to be paid: a submission, and the steps that continue one. */
import { nothingCharged, sameText } from '@gateway/contract';
import { GatewayError, invalidField, invalidFields, notFound } from '../../errors.ts';
import { accepts } from '../../providers/accepts.ts';
import { notPayable, openAction, throwIfFailed } from './answer.ts';
import { bareAnswer } from '../state/apply-outcome.ts';
import { foldFacts } from '../ask.ts';
import { createAttempt, toSubmission } from './attempt.ts';
import type { PaymentsDeps } from '../deps.ts';
import { latestAttempt, status, type Attempt, type PaymentRecord } from '../facts.ts';
import type { NewRecords } from '../store/new-record.ts';
import type { Candidate, PassedOver, Route, RouteFacts } from './routing.ts';
import type { Caller, ClientInput, Environment, OrderInput, PayerInput, PaymentAnswer, Payments } from '../service.ts';
import { GRACE_MS, type Submitter } from './submit.ts';
import { findStep, takeStep, withEffect, withLease } from './three-ds-step.ts';

/** References and tokens name an attempt with three digits; each of them makes every notification longer. */
const MAX_ATTEMPTS = 200;
/** Of a payer by the link. */
const TRIES_AN_HOUR = 10;
const HOUR_MS = 3_600_000;
const noClient: ClientInput = { name: null, email: null, address: null, phone: null, memberId: null };

export interface PayingDeps extends PaymentsDeps {
  readonly submitter: Submitter;
  readonly records: NewRecords;
  /** Throws NF001 where the caller may not see it. */
  readonly load: (caller: Caller, id: number) => Promise<PaymentRecord>;
}

export function createPaying(deps: PayingDeps): Pick<Payments, 'payH2h' | 'pay' | 'resume' | 'confirm'> {
  const { submitter, records, load, store, clients, registry, calls, routing, risk } = deps;
  const { present, feeOf, config, now, log } = deps;

  async function answer(record: PaymentRecord): Promise<PaymentAnswer> {
    throwIfFailed(record);
    return { view: await present(record), action: openAction(record, submitter.openAction) };
  }

  /** The payment with a new open attempt. */
  function open(
    record: PaymentRecord,
    { active, money }: Candidate,
    input: PayerInput,
    ruleId: number | null,
  ): PaymentRecord {
    const at = now();
    const opened = createAttempt(
      {
        n: record.attempts.length + 1,
        paymentRequestId: record._id,
        adapter: active.name,
        providerCode: active.adapter.manifest.code,
        method: active.adapter.manifest.methods[0]!,
        money,
        sandbox: record.environment === 'test',
        isFallback: false,
        now: at,
        limitMs: config.callTimeoutMs + GRACE_MS,
      },
      input,
    );
    const attempt: Attempt = { ...opened, method: calls.methodOf(active, toSubmission(record, opened, input)) };
    const number = input.card?.number ?? '';
    return {
      ...record,
      attempts: [...record.attempts, attempt],
      statusId: status.pending,
      transitions: [...record.transitions, { at, from: record.statusId, to: status.pending, cause: 'submitted' }],
      routeRuleId: ruleId,
      exchangeRate: '1',
      isPremiumCardBin: config.premiumCardBins.some((bin) => number.startsWith(bin)),
      payerName: record.payerName ?? input.payer.name,
      payerEmail: record.payerEmail ?? input.payer.email,
      askAt: attempt.deadlineAt,
    };
  }

  async function payH2h(caller: Caller, code: number, order: OrderInput, input: PayerInput): Promise<PaymentAnswer> {
    const active = registry.byCode(code);
    if (!active) throw notFound(`provider ${code}`);
    const environment: Environment = caller.environment === 'live' && !input.isSandbox ? 'live' : 'test';
    const { unit, amount } = order;
    const verdict = await risk.judge(caller.ownerId, { unit, amount, sandbox: environment === 'test', input });
    const asked = verdict.require3ds ? { ...input, is3ds: true } : input;
    const { payer, body, is3ds } = asked;
    const acceptance = accepts(active, {
      unit: order.unit,
      amount: order.amount,
      country: payer.country,
      body,
      openCurrencies: config.openCurrencies[active.name],
      ...(is3ds !== undefined && { is3ds }),
    });
    if (!acceptance.ok) {
      // The merchant did not ask for it: nothing of the body can be mended.
      if (verdict.require3ds && !input.is3ds && acceptance.errors.every(({ field }) => field === 'is3ds')) {
        throw new GatewayError(
          'PAYMENT_NOT_PAYABLE',
          'a risk rule demands 3D Secure, which this provider does not offer',
        );
      }
      throw invalidFields(acceptance.errors);
    }
    const client = { ...noClient, name: payer.name, email: payer.email };
    const created = await records.make(caller, { order, environment, client, isH2h: true });
    const candidate = { active, money: acceptance.money };
    const record = await records.insert(created, (fresh) => open(fresh, candidate, asked, null));
    await attach(caller, record);
    if (verdict.denied) return answer(await deny(record, verdict.denied, caller.requestId));
    return answer(await submitter.submit(record, 1, asked, [], caller.requestId));
  }

  /** A risk rule denies: the provider is not asked. */
  async function deny(record: PaymentRecord, reason: string, requestId: string): Promise<PaymentRecord> {
    const outcome = { outcome: 'failed', decline: '05', declineText: reason } as const;
    const { n } = latestAttempt(record)!;
    const fact = bareAnswer(n, outcome, now());
    const denied = await store.change(record._id, requestId, (current) => foldFacts(current, [fact], feeOf));
    log.warn({ requestId, paymentRequestId: record._id, reason }, 'denied by a risk rule');
    return denied.record;
  }

  /** Where another request with the same key took over, this one was never sent: its attempt says so. */
  async function attach(caller: Caller, record: PaymentRecord): Promise<void> {
    try {
      await caller.attach?.(record._id);
    } catch (error) {
      const fact = bareAnswer(1, nothingCharged('another request with this Idempotency-Key took over'), now());
      await store.change(record._id, caller.requestId, (current) => foldFacts(current, [fact], feeOf));
      throw error;
    }
  }

  async function pay(
    caller: Caller,
    id: number,
    input: PayerInput,
    payer?: { readonly seen: number },
  ): Promise<PaymentAnswer> {
    const known = await load(caller, id);
    if (input.isSandbox && known.environment === 'live') {
      throw invalidField('isSandbox', true, 'this payment request is live, for good: make one with a test key');
    }
    const refuse = (current: PaymentRecord): void => {
      throwIfNotPayable(current);
      if (payer) throwIfOftenTried(current, payer.seen, now());
    };
    refuse(known);
    const { unit, amount } = known;
    // Adapters that narrow `unit` judge the one that was fixed when the payment request was made.
    const facts = {
      unit,
      amount,
      sandbox: known.environment === 'test',
      input: { ...input, body: { ...input.body, unit } },
    };
    // What no provider takes is no attempt, and counts for no rule.
    const usual = chooseRoute(known, facts);
    const verdict = await risk.judge(caller.ownerId, facts);
    const asked = verdict.require3ds ? { ...facts.input, is3ds: true } : facts.input;
    const route = verdict.require3ds ? chooseRoute(known, { ...facts, input: asked }) : usual;
    await caller.attach?.(id);
    if (!known.client.email) await clients.adoptEmail(known.clientId, input.payer.email, input.payer.name);
    const [first, ...rest] = route.candidates;
    const { record } = await store.change(id, caller.requestId, (current) => {
      refuse(current);
      return { next: open(withEffect(current, caller), first, asked, route.ruleId) };
    });
    const attempt = latestAttempt(record)!;
    if (verdict.denied) return answer(await deny(record, verdict.denied, caller.requestId));
    return answer(await submitter.submit(record, attempt.n, asked, rest, caller.requestId));
  }

  function chooseRoute(record: PaymentRecord, facts: RouteFacts): Route {
    const passed: PassedOver[] = [];
    const route = routing.choose(facts, (one) => passed.push(one));
    if (!route) throw notPayable(record, describeNoRoute(passed));
    return route;
  }

  async function resume(caller: Caller, id: number, transaction3dsId: string): Promise<PaymentAnswer> {
    const known = await load(caller, id);
    const fits = findStep(
      known,
      ({ transactionId }) => transactionId !== null && sameText(transactionId, transaction3dsId),
    );
    if (!fits) throw notFound(`3D Secure transaction of payment request ${id}`);
    await caller.attach?.(id);
    const { nonce } = fits.step;
    let took = false;
    const { record } = await store.change(id, caller.requestId, (current) => {
      const found = findStep(current, (step) => step.nonce === nonce);
      const taken = found && takeStep(current, found.attempt, found.step, now(), null);
      took = taken !== undefined;
      return taken && { next: withLease(taken, new Date(now().getTime() + config.callTimeoutMs + GRACE_MS)) };
    });
    // Whoever came first tells how it ended; here it is no failure, whatever it came to.
    if (!took) return { view: await present(record), action: openAction(record, submitter.openAction) };
    const completed = await submitter.complete(
      record,
      fits.attempt.n,
      { kind: 'return' },
      nonce,
      caller.requestId,
      true,
    );
    return answer(completed.record);
  }

  async function confirm(caller: Caller, id: number, paymentId: string, code: string): Promise<PaymentAnswer> {
    const record = await load(caller, id);
    const action = openAction(record, submitter.openAction);
    if (action?.type !== 'confirm') throw notPayable(record, 'no member code is awaited for this payment');
    if (!sameText(action.paymentId, paymentId)) throw notFound(`paymentId of payment request ${id}`);
    await caller.attach?.(id);
    const { n } = latestAttempt(record)!;
    if (caller.effect !== undefined)
      await store.change(id, caller.requestId, (current) => ({ next: withEffect(current, caller) }));
    const completed = await submitter.complete(record, n, { kind: 'code', code }, null, caller.requestId);
    const isRefused = completed.outcome.outcome === 'pending' && completed.outcome.codeRefused === true;
    // The right code may have been quicker.
    if (isRefused && openAction(completed.record, submitter.openAction)?.type === 'confirm') {
      throw new GatewayError('INVALID_CARD', 'the member code is wrong; it may be tried again', {
        paymentRequestId: id,
        isProvidersWord: true,
        details: { field: 'code', reason: 'the member code is wrong' },
      });
    }
    return answer(completed.record);
  }

  return { payH2h, pay, resume, confirm };
}

/** Why no provider takes it, for the merchant. */
function describeNoRoute(passed: readonly PassedOver[]): string {
  const reasons = passed.map(({ code, why }) => (code === undefined ? why : `provider ${code}: ${why}`));
  const why =
    reasons.length > 0 ? [...new Set(reasons)].join('; ') : 'no route rule is for its method, unit, country and amount';
  return `no provider takes this payment: ${why}`;
}

/** Who holds the link may neither send an old form nor try out cards. */
function throwIfOftenTried(record: PaymentRecord, seen: number, now: Date): void {
  if (record.attempts.length > seen) throw notPayable(record, 'it was tried meanwhile');
  const since = now.getTime() - HOUR_MS;
  if (record.attempts.filter(({ openedAt }) => openedAt.getTime() > since).length < TRIES_AN_HOUR) return;
  throw new GatewayError('RATE_LIMIT_EXCEEDED', 'it was tried too often: wait an hour, or ask the shop', {
    paymentRequestId: record._id,
    details: { limit: TRIES_AN_HOUR, window: '1h', retryAfter: HOUR_MS / 1000 },
  });
}

function throwIfNotPayable(record: PaymentRecord): void {
  const payable = record.statusId === status.created || record.statusId === status.failed;
  if (!payable) throw notPayable(record, 'only a payment request that is created or failed can be paid');
  if (record.attempts.length >= MAX_ATTEMPTS) throw notPayable(record, 'it was tried too often: make a new one');
}
