/** Paying: a new payment request at a provider that the merchant names, or an existing one along the route rules. */
import { GatewayError, invalidField, invalidFields, notFound } from '../../../base/errors.ts';
import { accepts } from '../../providers/accepts.ts';
import { notPayable, type Answers } from '../present/answer.ts';
import { payerActionLost, outcomeFact } from '../state/apply-outcome.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { createAttempt, withPaymentWay, paymentWayOf } from '../submit/attempt.ts';
import type { PaymentsDeps } from '../deps.ts';
import { latestAttempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { ClientInput } from '../../../database/collections/client.ts';
import { environmentOf, type NewRecords } from '../store/new-record.ts';
import type { Candidate, SkippedAdapter, Route, RouteFacts } from '../submit/routing.ts';
import type { Caller } from '../types/caller.ts';
import type { OrderInput, PayerChoice, PayerInput } from '../types/input.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Payments } from '../service.ts';
import { HOUR, SECOND } from '../../../base/async/time.ts';
import { GRACE_MS, type Submitter } from '../submit/submit.ts';
import { withOperation } from '../store/operations.ts';
import { isOver } from '../record/is-expired.ts';

/** References and tokens name an attempt with three digits; each of them makes every notification longer. */
const MAX_ATTEMPTS = 200;
/** Of a payer by the link. */
const TRIES_AN_HOUR = 10;
const noClient: ClientInput = { name: null, email: null, address: null, phone: null, memberId: null };

export interface PayingDeps extends PaymentsDeps {
  readonly submitter: Submitter;
  readonly answers: Answers;
  readonly records: NewRecords;
  /** Throws NF001 where the caller may not see it. */
  readonly load: (caller: Caller, id: number) => Promise<PaymentRecord>;
}

export function createPaying(deps: PayingDeps): Pick<Payments, 'payH2h' | 'pay'> {
  const { submitter, answers, records, load, store, clients, registry, calls, routing, risk } = deps;
  const { feeOf, config, now, log } = deps;

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
        method: active.adapter.manifest.ways[0].method,
        money,
        sandbox: record.environment === 'test',
        isFallback: false,
        now: at,
        limitMs: config.callTimeoutMs + GRACE_MS,
      },
      input,
    );
    const attempt = withPaymentWay(calls, active, record, opened, input);
    const number = input.card?.number ?? '';
    return {
      ...record,
      attempts: [...record.attempts, attempt],
      statusId: status.pending,
      transitions: [...record.transitions, { at, from: record.statusId, to: status.pending, cause: 'submitted' }],
      routeRuleId: ruleId,
      exchangeRate: '1',
      isPremiumCardBin: config.premiumCardBins.some((bin) => number.startsWith(bin)),
      payerName: record.payerName ?? input.payer.name ?? null,
      payerEmail: record.payerEmail ?? input.payer.email ?? null,
      nextCheckAt: attempt.deadlineAt,
    };
  }

  async function payH2h(caller: Caller, code: number, order: OrderInput, input: PayerInput): Promise<PaymentAnswer> {
    const active = registry.byCode(code);
    if (!active) throw notFound(`provider ${code}`);
    const environment = environmentOf(caller, input.isSandbox);
    if (environment === 'test' && !active.takesTestPayments) throw notFound(`provider ${code} for test payments`);
    const { unit, amount } = order;
    const facts = { unit, amount, sandbox: environment === 'test' };
    const decision = await risk.evaluate(caller.ownerId, { ...facts, input });
    const submitted = decision.require3ds ? { ...input, is3ds: true } : input;
    const { payer, body, is3ds } = submitted;
    const acceptance = accepts(active, {
      unit,
      amount,
      body,
      openCurrencies: config.openCurrencies[active.name],
      ...(payer.country !== undefined && { country: payer.country }),
      ...(is3ds !== undefined && { is3ds }),
      ...(is3ds && { way: paymentWayOf(calls, active, facts, submitted) }),
    });
    if (!acceptance.ok) {
      // The merchant did not ask for it: nothing of the body can be mended.
      if (decision.require3ds && !input.is3ds && acceptance.errors.every(({ field }) => field === 'is3ds')) {
        throw new GatewayError(
          'PAYMENT_NOT_PAYABLE',
          'a risk rule demands 3D Secure, which this provider does not offer',
        );
      }
      throw invalidFields(acceptance.errors);
    }
    const client = { ...noClient, name: payer.name ?? null, email: payer.email ?? null };
    const created = await records.make(caller, { order, environment, client, isH2h: true });
    const candidate = { active, money: acceptance.money };
    const { operation } = caller;
    const record = await records.insert(
      { ...created, _id: operation?.paymentRequestId ?? created._id },
      { caller, opened: (fresh) => open(fresh, candidate, submitted, null) },
    );
    if (decision.denied) return answers.afterPaying(await deny(record, decision.denied, caller.requestId));
    return answers.afterPaying(await submitter.submit(record, 1, submitted, [], caller.requestId));
  }

  /** A risk rule denies: the provider is not called. */
  async function deny(record: PaymentRecord, reason: string, requestId: string): Promise<PaymentRecord> {
    const outcome = { outcome: 'failed', decline: '05', declineText: reason } as const;
    const { n } = latestAttempt(record)!;
    const fact = outcomeFact(n, outcome, now());
    const denied = await store.change(record, requestId, (current) => applyFacts(current, [fact], feeOf));
    log.warn({ requestId, paymentRequestId: record._id, reason }, 'denied by a risk rule');
    return denied.record;
  }

  async function pay(caller: Caller, id: number, input: PayerInput, payer?: PayerChoice): Promise<PaymentAnswer> {
    const known = await load(caller, id);
    if (input.isSandbox && known.environment === 'live') {
      throw invalidField('isSandbox', true, 'this payment request is live, for good: make one with a test key');
    }
    const refuse = (current: PaymentRecord): void => {
      throwIfNotPayable(current, now());
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
      ...(payer && { way: payer.way }),
    };
    // What no provider takes is no attempt, and counts for no rule.
    const usual = chooseRoute(known, facts);
    const decision = await risk.evaluate(caller.ownerId, facts);
    const submitted = decision.require3ds ? { ...facts.input, is3ds: true } : facts.input;
    const route = decision.require3ds ? chooseRoute(known, { ...facts, input: submitted }) : usual;
    await caller.operation?.bindPayment(id);
    // What a payer types on the page is the payment's alone: anybody may type anybody's address.
    const { name = '', email } = input.payer;
    if (!payer && !known.client.email && email !== undefined) await clients.adoptEmail(known.clientId, email, name);
    const [first, ...rest] = route.candidates;
    const { record } = await store.change(known, caller.requestId, (current) => {
      const marked = withOperation(current, caller);
      refuse(current);
      return { next: open(marked, first, submitted, route.ruleId) };
    });
    const attempt = latestAttempt(record)!;
    if (decision.denied) return answers.afterPaying(await deny(record, decision.denied, caller.requestId));
    return answers.afterPaying(await submitter.submit(record, attempt.n, submitted, rest, caller.requestId));
  }

  function chooseRoute(record: PaymentRecord, facts: RouteFacts): Route {
    const skipped: SkippedAdapter[] = [];
    const route = routing.choose(facts, (one) => skipped.push(one));
    if (!route) throw notPayable(record, describeNoRoute(skipped));
    return route;
  }

  return { payH2h, pay };
}

/** Why no provider takes it, for the merchant. */
function describeNoRoute(skipped: readonly SkippedAdapter[]): string {
  const reasons = skipped.map(({ code, why }) => (code === undefined ? why : `provider ${code}: ${why}`));
  const why =
    reasons.length > 0 ? [...new Set(reasons)].join('; ') : 'no route rule is for its method, unit, country and amount';
  return `no provider takes this payment: ${why}`;
}

/** The holder of the link may neither send an old form nor try out cards. */
function throwIfOftenTried(record: PaymentRecord, seen: number, now: Date): void {
  if (record.attempts.length > seen) throw notPayable(record, 'it was tried meanwhile');
  const since = now.getTime() - HOUR;
  if (record.attempts.filter(({ openedAt }) => openedAt.getTime() > since).length < TRIES_AN_HOUR) return;
  throw new GatewayError('RATE_LIMIT_EXCEEDED', 'it was tried too often: wait an hour, or ask the shop', {
    paymentRequestId: record._id,
    details: { limit: TRIES_AN_HOUR, window: '1h', retryAfter: HOUR / SECOND },
  });
}

function throwIfNotPayable(record: PaymentRecord, now: Date): void {
  const payable = record.statusId === status.created || record.statusId === status.failed;
  if (!payable && record.statusId === status.pending && latestAttempt(record)?.stepLost)
    throw notPayable(record, payerActionLost);
  if (!payable) throw notPayable(record, 'only a payment request that is created or failed can be paid');
  if (isOver(record, now)) throw notPayable(record, `it expired at ${record.expiresAt?.toISOString()}: make a new one`);
  if (record.attempts.length >= MAX_ATTEMPTS) throw notPayable(record, 'it was tried too often: make a new one');
}
