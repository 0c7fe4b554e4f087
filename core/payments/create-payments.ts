/** The payments service: what merchants and payers do with payment requests. */
import { randomBytes } from 'node:crypto';
import { sameText } from '@gateway/contract';
import { GatewayError, invalidField, invalidFields, missingFields, notFound } from '../errors.ts';
import { accepts } from '../providers/accepts.ts';
import { notPayable, openAction, throwIfFailed } from './answers.ts';
import { createAttempt, toSubmission } from './attempts.ts';
import type { PaymentsDeps } from './deps.ts';
import { foldFacts } from './ask.ts';
import { latestAttempt, status, type Attempt, type PaymentRecord } from './facts.ts';
import { createListing, type ListingDeps } from './list-payments.ts';
import { createPayPage } from './pay-page.ts';
import { createRefunds } from './refunds.ts';
import type { Candidate } from './routing.ts';
import type {
  Caller,
  ClientInput,
  Environment,
  NewPaymentRequest,
  OrderInput,
  PayerInput,
  PaymentAnswer,
  Payments,
} from './service.ts';
import type { Submitter } from './submit.ts';
import { findStep, takeStep, withEffect, withLease } from './take-step.ts';

/** Time to settle after the call's own limit, before reconciliation takes over. */
const GRACE_MS = 10_000;
const noClient: ClientInput = { name: null, email: null, address: null, phone: null, memberId: null };

interface NewRecord {
  readonly order: OrderInput;
  readonly environment: Environment;
  readonly client: ClientInput;
  readonly isH2h: boolean;
  readonly further?: Partial<PaymentRecord>;
}

export function createPayments(deps: PaymentsDeps & ListingDeps, submitter: Submitter): Payments {
  const { store, ids, clients, registry, calls, routing, risk, present, feeOf, config, now, log } = deps;
  const refunds = createRefunds(deps);
  const listing = createListing(deps);
  const payPage = createPayPage(deps, submitter);

  async function newRecord(caller: Caller, given: NewRecord): Promise<PaymentRecord> {
    const { order, environment, client, isH2h, further } = given;
    const { _id: clientId } = await clients.findOrMake(caller.ownerId, environment, client);
    return {
      _id: await ids.next(),
      version: 1,
      ownerId: caller.ownerId,
      environment,
      createdAt: now(),
      linkKey: randomBytes(16).toString('base64url'),
      ...order,
      recipientName: null,
      payerCountry: null,
      notes: null,
      targetAccountTypeId: 0,
      kycApplicantId: null,
      payerName: null,
      payerEmail: null,
      clientId,
      client,
      isH2h,
      isPremiumCardBin: false,
      routeRuleId: null,
      ftdTypeId: 0,
      attempts: [],
      refunds: [],
      reportedRefunds: [],
      cumulatives: [],
      stages: [],
      cancelledAt: null,
      lapsedAt: null,
      statusId: status.created,
      paidAmount: null,
      paidCurrency: null,
      refundedAmount: '0',
      chargedBack: false,
      feeAmount: null,
      exchangeRate: null,
      logs: [],
      transitions: [],
      identities: [],
      effects: caller.effect === undefined ? [] : [caller.effect],
      sequence: 0,
      outbox: [],
      outboxSince: null,
      askAt: null,
      askToken: null,
      askWorker: null,
      ...further,
    };
  }

  /** `opened` makes what is stored of the new payment: its attempts are named after its id. */
  async function insert(
    created: PaymentRecord,
    opened: (record: PaymentRecord) => PaymentRecord = (record) => record,
  ): Promise<PaymentRecord> {
    const record = opened(created);
    if ((await store.insert(record)) === 'stored') return record;
    // Somebody else has the block, as after a restored backup: ask for a new one, once.
    ids.drop();
    const renamed = opened({ ...created, _id: await ids.next() });
    if ((await store.insert(renamed)) === 'stored') return renamed;
    throw new Error('two fresh payment request ids were taken already: check the document "counters"');
  }

  async function load(caller: Caller, id: number): Promise<PaymentRecord> {
    const record = await store.load(id);
    // A live key also reaches what it made with `isSandbox`; a test key sees nothing that is live.
    const isHidden = caller.environment === 'test' && record?.environment === 'live';
    if (record?.ownerId !== caller.ownerId || isHidden) throw notFound(`payment request ${id}`);
    return record;
  }

  async function answer(record: PaymentRecord): Promise<PaymentAnswer> {
    throwIfFailed(record);
    return { view: await present(record), action: openAction(record, submitter.openAction) };
  }

  /** As `answer`, but a payment that lapsed or was cancelled did not fail. */
  async function standing(record: PaymentRecord): Promise<PaymentAnswer> {
    if (record.statusId === status.failed) throwIfFailed(record);
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
    if (!acceptance.ok) throw invalidFields(acceptance.errors);
    const client = { ...noClient, name: payer.name, email: payer.email };
    const created = await newRecord(caller, { order, environment, client, isH2h: true });
    const candidate = { active, money: acceptance.money };
    const record = await insert(created, (fresh) => open(fresh, candidate, asked, null));
    await attach(caller, record);
    if (verdict.denied) return answer(await deny(record, verdict.denied, caller.requestId));
    return answer(await submitter.submit(record, 1, asked, [], caller.requestId));
  }

  /** The request stands whether or not the letter leaves: the merchant has the link too. */
  async function mail(record: PaymentRecord, to: string, requestId: string): Promise<void> {
    const line = { requestId, paymentRequestId: record._id };
    if (!deps.mailLink) return log.error(line, 'no mail server is configured (mail.smtp): the link was not mailed');
    try {
      await deps.mailLink(record, to);
      log.info(line, 'link mailed');
    } catch (error) {
      log.error({ ...line, err: error }, 'the link could not be mailed');
    }
  }

  /** A risk rule denies: the provider is not asked. */
  async function deny(record: PaymentRecord, reason: string, requestId: string): Promise<PaymentRecord> {
    const outcome = { outcome: 'failed', decline: '05', declineText: reason } as const;
    const { n } = latestAttempt(record)!;
    const fact = {
      type: 'answer',
      attempt: n,
      outcome,
      at: now(),
      action: null,
      step: null,
      completed: null,
      fallback: null,
    } as const;
    const denied = await store.change(record._id, requestId, (current) => foldFacts(current, [fact], feeOf));
    log.warn({ requestId, paymentRequestId: record._id, reason }, 'denied by a risk rule');
    return denied.record;
  }

  /** Where another request with the same key took over, this one was never sent: its attempt says so. */
  async function attach(caller: Caller, record: PaymentRecord): Promise<void> {
    try {
      await caller.attach?.(record._id);
    } catch (error) {
      const outcome = {
        outcome: 'failed',
        nothingCharged: true,
        reason: 'another request with this Idempotency-Key took over',
      } as const;
      const fact = {
        type: 'answer',
        attempt: 1,
        outcome,
        at: now(),
        action: null,
        step: null,
        completed: null,
        fallback: null,
      } as const;
      await store.change(record._id, caller.requestId, (current) => foldFacts(current, [fact], feeOf));
      throw error;
    }
  }

  async function pay(caller: Caller, id: number, input: PayerInput): Promise<PaymentAnswer> {
    const known = await load(caller, id);
    if (input.isSandbox && known.environment === 'live') {
      throw invalidField(
        'isSandbox',
        true,
        'this payment request is live, for good: make one with isSandbox or a test key',
      );
    }
    throwIfNotPayable(known);
    const { unit, amount } = known;
    const facts = { unit, amount, sandbox: known.environment === 'test', input };
    const verdict = await risk.judge(caller.ownerId, facts);
    const asked = verdict.require3ds ? { ...input, is3ds: true } : input;
    const route = routing.choose({ ...facts, input: asked });
    if (!route)
      throw notPayable(
        known,
        'no provider takes this payment: no route rule has one for its method, currency and bounds',
      );
    await caller.attach?.(id);
    if (!known.client.email) await clients.adoptEmail(known.clientId, input.payer.email, input.payer.name);
    const [first, ...rest] = route.candidates;
    const { record } = await store.change(id, caller.requestId, (current) => {
      throwIfNotPayable(current);
      return { next: open(withEffect(current, caller), first, asked, route.ruleId) };
    });
    const attempt = latestAttempt(record)!;
    if (verdict.denied) return answer(await deny(record, verdict.denied, caller.requestId));
    return answer(await submitter.submit(record, attempt.n, asked, rest, caller.requestId));
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
        details: { field: 'code', reason: 'the member code is wrong' },
      });
    }
    return answer(completed.record);
  }

  return {
    ...listing,
    payH2h,
    pay,
    resume,
    confirm,
    payPage,
    refund: async (caller, id, amount) => {
      const record = await refunds.refund(caller, await load(caller, id), amount);
      return { view: await present(record), action: null };
    },
    get: async (caller, id) => present(await load(caller, id)),
    standing: async (caller, id) => standing(await load(caller, id)),
    hasEffect: async (caller, id) =>
      caller.effect !== undefined && (await load(caller, id)).effects.includes(caller.effect),
    timeline: async (caller, id) => listing.timelineOf(await load(caller, id)),

    async create(caller, input: NewPaymentRequest) {
      const { send, client, ...members } = input;
      const found = { ...client, email: client.email ?? input.payerEmail };
      if (send && found.email === null) throw missingFields(['clientEmail']);
      const { amount, unit, referenceId, notifyUrl, successUrl, failureUrl, originDomain, ...further } = members;
      const order = { amount, unit, referenceId, notifyUrl, successUrl, failureUrl, originDomain };
      const { environment } = caller;
      const given = { order, environment, client: found, isH2h: false, further: { ...further, client } };
      const record = await insert(await newRecord(caller, given));
      await caller.attach?.(record._id);
      log.info({ requestId: caller.requestId, paymentRequestId: record._id }, 'payment request created');
      if (send && found.email !== null) await mail(record, found.email, caller.requestId);
      return present(record);
    },

    async cancel(caller, id) {
      throwIfNotCancellable(await load(caller, id));
      await caller.attach?.(id);
      const { record } = await store.change(id, caller.requestId, (current) => {
        throwIfNotCancellable(current);
        return foldFacts(withEffect(current, caller), [{ type: 'cancel', at: now() }], feeOf);
      });
      return { view: await present(record), action: null };
    },

    inputKindOf: (code) => registry.byCode(code)?.adapter.manifest.inputs[0],
  };
}

function throwIfNotCancellable(record: PaymentRecord): void {
  const allowed = record.statusId === status.created || (record.statusId === status.failed && !record.cancelledAt);
  if (!allowed) throw notPayable(record, 'only a payment request that is created or failed can be cancelled');
}

function throwIfNotPayable(record: PaymentRecord): void {
  const payable = record.statusId === status.created || record.statusId === status.failed;
  if (!payable) throw notPayable(record, 'only a payment request that is created or failed can be paid');
}
