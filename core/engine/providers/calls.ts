/** Every call into an adapter, under guard: what it throws, or never answers, becomes the outcome that is right for it. */
import { aboutWord, adapterSubject, raiseInto, type Clear, type Raise } from '../alarms/index.ts';
import {
  defined,
  nothingCharged,
  paymentMethods,
  refuseRefund,
  refuseSubmission,
  unknown,
  type AccountFinding,
  type AttemptFacts,
  type CaptureRequest,
  type CompletionStep,
  type EventKind,
  type EventSource,
  type EventStatus,
  type Outcome,
  type PaymentMethod,
  type AdapterContext,
  type RefundRequest,
  type ReportedEvent,
  type StoredPayment,
  type Submission,
  type VoidRequest,
} from '@paywright/contract';
import { statusesByKind } from '@paywright/contract/core';
import * as v from 'valibot';
import { accountShape, commitShape, outcomeShape, reportShape } from './answer-shapes.ts';
import { optionsOf } from './adapter-context.ts';
import { createCallbackCalls, type CallbackCalls } from './callback-calls.ts';
import { createGuardedCalls, type CallFacts, type CallResult, type GuardedCallsSetup } from './guarded-call.ts';
import type { ActiveAdapter, AdapterOptions } from './load/load-adapters.ts';
import { createMetrics, type Metrics } from '../../base/metrics/index.ts';
import type { Registry } from './registry.ts';
import type { MappedEvent, MappedReport } from './mapped-event.ts';
import type { AlarmSubject } from '../../database/collections/alarm.ts';
import type { Environment } from '../../base/environment.ts';
import { withSpan, type SpanPlan } from '../../base/traces/index.ts';

export interface ProviderCallsSetup extends Omit<GuardedCallsSetup, 'metrics'> {
  readonly registry: Registry;
  /** Which side callbacks belong to in this environment. */
  readonly callbackSandbox: boolean;
  /** Left out: alarms are logged, and stored nowhere. */
  readonly raise?: Raise;
  /** Left out: no alarm ends by itself. */
  readonly clear?: Clear;
  /** Left out: what is counted is shown nowhere. */
  readonly metrics?: Metrics;
}

interface CallExtras {
  readonly threeDsToken?: string | undefined;
  /** The attempt's deadline, or the hold of the payment, is over, by the clock that set it: what is late is not sent. */
  readonly isOver?: (() => boolean) | undefined;
}

/** None of these throws, whatever the adapter does; `name` is the adapter's. */
export interface ProviderCalls extends CallbackCalls {
  /** Failed, nothing charged, where certainly nothing left; any other failing is unknown. */
  submit(name: string, submission: Submission, extras?: CallExtras): Promise<Outcome>;
  /** Any failing is unknown: a charge under way may still end by itself. */
  complete(name: string, payment: StoredPayment, step: CompletionStep, extras?: CallExtras): Promise<Outcome>;
  /** Any failing gives no information. */
  fetchStatus(name: string, payment: StoredPayment, subReference?: string): Promise<MappedReport>;
  /** As `submit`; a repetition that the manifest rules out is unknown, and is not made. */
  refund(name: string, payment: StoredPayment, refund: RefundRequest, extras?: CallExtras): Promise<Outcome>;
  /** As `refund`: nothing was captured, or it is unknown. */
  capture(name: string, payment: StoredPayment, capture: CaptureRequest, extras?: CallExtras): Promise<Outcome>;
  /** As `refund`: nothing was released, or it is unknown. */
  void(name: string, payment: StoredPayment, release: VoidRequest, extras?: CallExtras): Promise<Outcome>;
  /** A finding says why, where it fails; an adapter without it finds nothing. */
  checkAccount(name: string, sandbox: boolean): Promise<readonly AccountFinding[]>;
  /** Any failing is `later`; an adapter without it is `done`. */
  markSeen(name: string, payment: StoredPayment, seenToken: string): Promise<'done' | 'changed' | 'later'>;
  methodOf(active: ActiveAdapter, submission: Submission): PaymentMethod;
  /** Seconds, undefined (it needs review), or `by_policy`: what the manifest says. */
  nextFetch(active: ActiveAdapter, payment: StoredPayment, checks: number): number | 'by_policy' | undefined;
  close(): void;
}

type Ability = 'submit' | 'complete' | 'fetchStatus' | 'refund' | 'capture' | 'void' | 'checkAccount' | 'markSeen';

/** What is repeated under its reference: that a repetition is rejected says nothing of the first. */
const repeatable: ReadonlySet<Ability> = new Set(['refund', 'capture', 'void']);
type Adapter = ActiveAdapter['adapter'];
type Context = AdapterContext<AdapterOptions>;

const neverRepeated = 'the provider cannot recognise a repetition: its status shows what came of the refund';

const statusShapes: Readonly<Record<EventKind, v.GenericSchema<unknown, EventStatus>>> = {
  payment: v.picklist([...statusesByKind.payment, 'unknown']),
  refund: v.picklist([...statusesByKind.refund, 'unknown']),
  chargeback: v.picklist([...statusesByKind.chargeback, 'unknown']),
  '3ds': v.picklist([...statusesByKind['3ds'], 'unknown']),
  token: v.picklist([...statusesByKind.token, 'unknown']),
  ping: v.picklist([...statusesByKind.ping, 'unknown']),
};
const methodShape = v.picklist(Object.keys(paymentMethods) as PaymentMethod[]);
const secondsShape = v.optional(v.pipe(v.number(), v.finite(), v.minValue(0)));

export function createProviderCalls(setup: ProviderCallsSetup): ProviderCalls {
  const { registry, now, log, raise = raiseInto(log), clear, metrics = createMetrics() } = setup;
  const guarded = createGuardedCalls({ ...setup, metrics });
  /** Sides of adapters whose provider has taken our account and keys since this process began, and not refused them since. */
  const taken = new Set<string>();

  /** Calls one ability; an adapter that is off, or lacks it, is not called. */
  async function callAbility<T>(
    name: string,
    call: Ability,
    facts: CallFacts,
    shape: v.GenericSchema<unknown, T>,
    run: (adapter: Adapter, ctx: Context) => Promise<unknown>,
  ): Promise<CallResult<T> & { readonly active?: ActiveAdapter }> {
    const active = registry.byName(name);
    if (!active) return { failure: { reason: `${name} is off`, noneSent: true } };
    if (!active.adapter[call]) return { failure: { reason: `${name} has no ${call}`, noneSent: true } };
    const work = async (ctx: Context): Promise<unknown> => run(active.adapter, ctx);
    const plan = (): SpanPlan => ({
      kind: 'client',
      attributes: {
        'gateway.adapter': name,
        'gateway.call': call,
        'gateway.mode': facts.sandbox ? 'test' : 'live',
        'gateway.payment_request_id': facts.paymentRequestId,
        'gateway.attempt': facts.attempt,
      },
    });
    return withSpan(`${call} ${name}`, plan, async (span) => {
      const result = await guarded.call({ active, call, facts, shape, work });
      span.set({ 'gateway.outcome': wordOf(result), 'http.response.status_code': result.lastStatus });
      if (result.failure) span.fail();
      return { ...result, active };
    });
  }

  async function askOutcome(
    name: string,
    call: Ability,
    facts: CallFacts,
    run: (adapter: Adapter, ctx: Context) => Promise<Outcome>,
  ): Promise<Outcome> {
    const result = await callAbility(name, call, facts, outcomeShape, run);
    const left = defined({ adapterState: result.kept });
    if (!result.failure) {
      const answer = { ...left, ...result.answer };
      return judged(call, noted(name, call, facts, answer), result.lastStatus);
    }
    const { reason, noneSent } = result.failure;
    // A charge that waits for its completion may still end by itself, and what is repeated may have been sent by others.
    const isRepeated = repeatable.has(call) && facts.isOver?.() === true;
    const isNotSent = noneSent && call !== 'complete' && !isRepeated;
    return { ...left, ...(isNotSent ? { ...nothingCharged(reason), notSent: true } : unknown(reason)) };
  }

  /** What a refusal is worth, by what was called. */
  function judged(call: Ability, outcome: Outcome, lastStatus: number | undefined): Outcome {
    if (outcome.outcome !== 'failed' || !outcome.nothingCharged) return outcome;
    // The payer is through with the step: an earlier request to complete it may have charged.
    if (call === 'complete') {
      const { reason = 'the provider did not complete the step now', adapterState } = outcome;
      return { ...unknown(reason), ...defined({ adapterState }) };
    }
    const isRejection = lastStatus !== undefined && (lastStatus >= 500 || [401, 403, 408, 429].includes(lastStatus));
    return repeatable.has(call) && isRejection ? { ...outcome, requestRejected: true } : outcome;
  }

  /** Looks at what an outcome says about the adapter itself. */
  function noted(adapter: string, call: Ability, facts: CallFacts, outcome: Outcome): Outcome {
    const { paymentRequestId, attempt } = facts;
    const logFields = { adapter, call, paymentRequestId, attempt };
    if (outcome.unknownStatus !== undefined) {
      const kind = outcome.outcome === 'failed' ? 'decline' : call === 'refund' ? 'refund' : 'payment';
      metrics.unknownStatuses.inc({ provider: adapter, kind });
      const about = aboutWord(kind, outcome.unknownStatus);
      const reason = `${kind} ${outcome.unknownStatus}, payment ${paymentRequestId}`;
      raise('status_unknown', adapterSubject(adapter, modeOf(facts), about), reason, logFields);
    }
    if (outcome.outcome === 'failed' && outcome.misconfigured) {
      const side = sideOf(adapter, facts);
      taken.delete(side.id);
      raise('provider_misconfigured', side, outcome.reason ?? '', logFields);
    } else if (isJudged(outcome)) takesUs(adapter, facts);
    return outcome;
  }

  /** Ends the alarm; also the first time in a process, for a setting that is wrong is mended by config and a restart. */
  function takesUs(adapter: string, facts: CallFacts): void {
    const side = sideOf(adapter, facts);
    if (taken.has(side.id)) return;
    taken.add(side.id);
    clear?.('provider_misconfigured', side);
  }

  function withStatus(
    active: ActiveAdapter,
    facts: CallFacts,
    events: readonly ReportedEvent[],
    source: EventSource,
  ): MappedEvent[] {
    return events.map((event) => {
      const work = (): unknown => active.adapter.mapStatus(event, source);
      const shape = statusShapes[event.kind];
      const { answer: status = 'unknown' } = guarded.now({ active, call: 'mapStatus', facts, shape, work });
      if (status === 'unknown') metrics.unknownStatuses.inc({ provider: active.name, kind: event.kind });
      return { ...event, status };
    });
  }

  return {
    ...createCallbackCalls(guarded, withStatus, setup.callbackSandbox),

    async submit(name, submission, extras) {
      const answer = await askOutcome(
        name,
        'submit',
        factsOf(submission, extras),
        async (adapter, ctx) => refuseSubmission(adapter.manifest, submission) ?? adapter.submit(submission, ctx),
      );
      const outcome = answer.outcome === 'failed' && answer.notSent ? 'not_sent' : answer.outcome;
      metrics.submissions.inc({ provider: name, mode: submission.sandbox ? 'test' : 'live', outcome });
      return answer;
    },

    complete: async (name, payment, step, extras) =>
      askOutcome(name, 'complete', factsOf(payment, extras), async (adapter, ctx) =>
        adapter.complete!(payment, step, ctx),
      ),

    refund: async (name, payment, refund, extras) =>
      askOutcome(name, 'refund', factsOf(payment, extras), async (adapter, ctx) => {
        const { manifest } = adapter;
        if (refund.isRepetition && manifest.repeatRefund === 'never') return unknown(neverRepeated);
        return refuseRefund(manifest, payment, refund) ?? adapter.refund!(payment, refund, ctx);
      }),

    capture: async (name, payment, capture, extras) =>
      askOutcome(name, 'capture', factsOf(payment, extras), async (adapter, ctx) =>
        adapter.capture!(payment, capture, ctx),
      ),

    void: async (name, payment, release, extras) =>
      askOutcome(name, 'void', factsOf(payment, extras), async (adapter, ctx) => adapter.void!(payment, ctx, release)),

    async checkAccount(name, sandbox) {
      if (registry.byName(name)?.adapter.checkAccount === undefined) return [];
      const { failure, answer } = await callAbility(
        name,
        'checkAccount',
        { sandbox },
        accountShape,
        async (adapter, ctx) => adapter.checkAccount!(ctx),
      );
      return failure ? [{ ok: false, finding: `the account could not be checked: ${failure.reason}` }] : answer;
    },

    async fetchStatus(name, payment, subReference) {
      const facts = factsOf(payment);
      const { failure, answer, active } = await callAbility(
        name,
        'fetchStatus',
        facts,
        reportShape,
        async (adapter, ctx) => adapter.fetchStatus!(payment, ctx, subReference),
      );
      if (failure) return { result: 'no_information', reason: failure.reason };
      if (answer.result === 'events') takesUs(name, facts);
      return answer.result === 'events'
        ? { ...answer, events: withStatus(active!, facts, answer.events, 'fetch') }
        : answer;
    },

    async markSeen(name, payment, seenToken) {
      const found = registry.byName(name);
      if (found && !found.adapter.markSeen) return 'done';
      const { answer = 'later' } = await callAbility(
        name,
        'markSeen',
        factsOf(payment),
        commitShape,
        async (adapter, ctx) => adapter.markSeen!(payment, seenToken, ctx),
      );
      return answer;
    },

    methodOf(active, submission) {
      const usual = active.adapter.manifest.ways[0].method;
      if (!active.adapter.methodOf) return usual;
      const work = (): unknown => active.adapter.methodOf!(submission, optionsOf(active, submission.sandbox));
      const facts = factsOf(submission);
      return guarded.now({ active, call: 'methodOf', facts, shape: methodShape, work }).answer ?? usual;
    },

    nextFetch(active, payment, checks) {
      if (!active.adapter.nextFetch) return 'by_policy';
      const work = (): unknown => active.adapter.nextFetch!(payment, checks, now());
      const result = guarded.now({ active, call: 'nextFetch', facts: factsOf(payment), shape: secondsShape, work });
      return result.failure ? 'by_policy' : result.answer;
    },

    close: () => guarded.close(),
  };
}

/** What a call came to, as its span says it. */
function wordOf({ failure, answer }: CallResult<unknown>): string {
  if (failure) return failure.noneSent ? 'not_sent' : 'unknown';
  const { outcome, result } = Object(answer) as { readonly outcome?: unknown; readonly result?: unknown };
  const said = [outcome, result, answer].find((one) => typeof one === 'string');
  return said ?? 'answered';
}

function sideOf(adapter: string, { sandbox }: CallFacts): AlarmSubject {
  return adapterSubject(adapter, modeOf({ sandbox }));
}

function modeOf({ sandbox }: Pick<CallFacts, 'sandbox'>): Environment {
  return sandbox ? 'test' : 'live';
}

/** The provider looked at the payment itself: it has taken our account and keys. */
function isJudged(outcome: Outcome): boolean {
  if (outcome.outcome === 'failed') return outcome.decline !== undefined && !outcome.notSent;
  return outcome.outcome === 'succeeded' || outcome.outcome === 'pending';
}

function factsOf({ sandbox, paymentRequestId, attempt }: AttemptFacts, extras: CallExtras = {}): CallFacts {
  return { sandbox, paymentRequestId, attempt, ...extras };
}
