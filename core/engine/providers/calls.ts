/**
 * Makes every call into an adapter safe. If an adapter throws or never answers, the call has a defined result, which
 * depends on the kind of call.
 */
import { raiseInto, type Clear, type Raise } from '../alarms/index.ts';
import {
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
  type RefundRequest,
  type ReportedEvent,
  type StoredPayment,
  type Submission,
  type VoidRequest,
} from '@paywright/contract';
import { statusesByKind } from '@paywright/contract/core';
import * as v from 'valibot';
import { accountShape, markSeenShape, reportShape } from './answer-shapes.ts';
import { keysOf } from './account-keys.ts';
import { parseAccountRef } from './account-ref.ts';
import { optionsOf } from './adapter-context.ts';
import { createAbilityCalls } from './call-ability.ts';
import { createCallbackCalls, type CallbackCalls } from './callback-calls.ts';
import { createGuardedCalls, type CallFacts, type GuardedCallsDeps } from './guarded-call.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';
import { createMetrics, type Metrics } from '../../base/metrics/index.ts';
import type { Registry } from './registry.ts';
import type { MappedEvent, MappedReport } from './mapped-event.ts';
import { createOutcomeRecorder } from './record-outcome.ts';

export interface ProviderCallsDeps extends Omit<GuardedCallsDeps, 'metrics'> {
  readonly registry: Registry;
  /** True if callbacks belong to the sandbox in this environment. */
  readonly callbackSandbox: boolean;
  /** Absent: alarms are logged only. */
  readonly raise?: Raise;
  /** Absent: no alarm is cleared automatically. */
  readonly clear?: Clear;
  /** Absent: the counts are not exposed. */
  readonly metrics?: Metrics;
}

interface CallOptions {
  readonly threeDsToken?: string | undefined;
  /**
   * True once the deadline of the attempt, or the lease of the payment, has passed, by the clock that set it. Nothing
   * is sent after that.
   */
  readonly deadlinePassed?: (() => boolean) | undefined;
}

/** No method throws, whatever the adapter does. `ref`: the reference of the account. */
export interface ProviderCalls extends CallbackCalls {
  /** A failure of the call is `failed`, nothing charged, if certainly nothing was sent; otherwise it is `unknown`. */
  submit(ref: string, submission: Submission, options?: CallOptions): Promise<Outcome>;
  /** A failure of the call is `unknown`: a charge in progress may still succeed. */
  complete(ref: string, payment: StoredPayment, step: CompletionStep, options?: CallOptions): Promise<Outcome>;
  /** A failure of the call is `no_information`. */
  fetchStatus(ref: string, payment: StoredPayment, subReference?: string): Promise<MappedReport>;
  /** Like `submit`. A repetition that the manifest excludes is `unknown`, and is not sent. */
  refund(ref: string, payment: StoredPayment, refund: RefundRequest, options?: CallOptions): Promise<Outcome>;
  /** Like `refund`: nothing was captured, or the outcome is `unknown`. */
  capture(ref: string, payment: StoredPayment, capture: CaptureRequest, options?: CallOptions): Promise<Outcome>;
  /** Like `refund`: nothing was released, or the outcome is `unknown`. */
  void(ref: string, payment: StoredPayment, release: VoidRequest, options?: CallOptions): Promise<Outcome>;
  /** Like `refund`: only `succeeded` says that the order is closed. */
  close(ref: string, payment: StoredPayment, options?: CallOptions): Promise<Outcome>;
  /** If the call fails, a finding gives the reason. An adapter without this ability has no findings. */
  checkAccount(ref: string, sandbox: boolean): Promise<readonly AccountFinding[]>;
  /** A failure of the call is `later`. An adapter without this ability is `done`. */
  markSeen(ref: string, payment: StoredPayment, seenToken: string): Promise<'done' | 'changed' | 'later'>;
  methodOf(active: ActiveAdapter, submission: Submission): PaymentMethod;
  /**
   * When to fetch the status next: in so many seconds, or `by_policy` (as the manifest says). Undefined: no more
   * fetches, and the payment needs review.
   */
  nextFetch(active: ActiveAdapter, payment: StoredPayment, checks: number): number | 'by_policy' | undefined;
  /** Closes the connections to the providers. */
  stop(): void;
}

const neverRepeated = 'the provider cannot detect a repetition: its status shows the result of the refund';

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

export function createProviderCalls(deps: ProviderCallsDeps): ProviderCalls {
  const { registry, now, log, raise = raiseInto(log), clear, metrics = createMetrics() } = deps;
  const guarded = createGuardedCalls({ ...deps, metrics });
  const { recordOutcome, clearMisconfiguration } = createOutcomeRecorder({ raise, clear, metrics });
  const { callAbility, callForOutcome } = createAbilityCalls({ registry, guarded, recordOutcome, metrics });

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
      const isUnlisted = status === 'unknown' || event.unlistedStatus !== undefined;
      if (isUnlisted) metrics.unknownStatuses.inc({ provider: active.name, kind: event.kind });
      const keys = keysOf(active.keys[facts.sandbox ? 'test' : 'live']);
      const isOfOther = event.accountKey !== undefined && keys.length > 0 && !keys.includes(event.accountKey);
      return { ...event, status, ...(isOfOther && { ofOtherAccount: true }) };
    });
  }

  return {
    ...createCallbackCalls(guarded, withStatus, deps.callbackSandbox),

    async submit(ref, submission, options) {
      const answer = await callForOutcome(
        ref,
        'submit',
        factsOf(submission, options),
        async (adapter, ctx) => refuseSubmission(adapter.manifest, submission) ?? adapter.submit(submission, ctx),
      );
      const outcome = answer.outcome === 'failed' && answer.notSent ? 'not_sent' : answer.outcome;
      const { adapter: provider, account: name } = parseAccountRef(ref);
      const account = metrics.accountLabel(provider, name);
      metrics.submissions.inc({ provider, account, mode: submission.sandbox ? 'test' : 'live', outcome });
      return answer;
    },

    complete: async (ref, payment, step, options) =>
      callForOutcome(ref, 'complete', factsOf(payment, options), async (adapter, ctx) =>
        adapter.complete!(payment, step, ctx),
      ),

    refund: async (ref, payment, refund, options) =>
      callForOutcome(ref, 'refund', factsOf(payment, options), async (adapter, ctx) => {
        const { manifest } = adapter;
        if (refund.isRepetition && manifest.repeatRefund === 'never') return unknown(neverRepeated);
        return refuseRefund(manifest, payment, refund) ?? adapter.refund!(payment, refund, ctx);
      }),

    capture: async (ref, payment, capture, options) =>
      callForOutcome(ref, 'capture', factsOf(payment, options), async (adapter, ctx) =>
        adapter.capture!(payment, capture, ctx),
      ),

    void: async (ref, payment, release, options) =>
      callForOutcome(ref, 'void', factsOf(payment, options), async (adapter, ctx) =>
        adapter.void!(payment, ctx, release),
      ),

    close: async (ref, payment, options) =>
      callForOutcome(ref, 'close', factsOf(payment, options), async (adapter, ctx) => adapter.close!(payment, ctx)),

    async checkAccount(ref, sandbox) {
      if (registry.byName(ref)?.adapter.checkAccount === undefined) return [];
      const { failure, answer } = await callAbility(
        ref,
        'checkAccount',
        { sandbox },
        accountShape,
        async (adapter, ctx) => adapter.checkAccount!(ctx),
      );
      return failure ? [{ ok: false, finding: `the account could not be checked: ${failure.reason}` }] : answer;
    },

    async fetchStatus(ref, payment, subReference) {
      const facts = factsOf(payment);
      const { failure, answer, active } = await callAbility(
        ref,
        'fetchStatus',
        facts,
        reportShape,
        async (adapter, ctx) => adapter.fetchStatus!(payment, ctx, subReference),
      );
      if (failure) return { result: 'no_information', reason: failure.reason };
      if (answer.result !== 'events') return answer;
      clearMisconfiguration(ref, facts);
      const events = withStatus(active!, facts, answer.events, 'fetch');
      if (!events.some(({ ofOtherAccount }) => ofOtherAccount)) return { ...answer, events };
      const { paymentRequestId, attempt } = facts;
      const logFields = { adapter: ref, paymentRequestId, attempt };
      raise(
        'callback_of_other_account',
        { type: 'adapter', id: ref },
        `payment ${paymentRequestId}, fetched`,
        logFields,
      );
      return { result: 'no_information', reason: 'the report names another account' };
    },

    async markSeen(ref, payment, seenToken) {
      const found = registry.byName(ref);
      if (found && !found.adapter.markSeen) return 'done';
      const { answer = 'later' } = await callAbility(
        ref,
        'markSeen',
        factsOf(payment),
        markSeenShape,
        async (adapter, ctx) => adapter.markSeen!(payment, seenToken, ctx),
      );
      return answer;
    },

    methodOf(active, submission) {
      const defaultMethod = active.adapter.manifest.ways[0].method;
      if (!active.adapter.methodOf) return defaultMethod;
      const work = (): unknown => active.adapter.methodOf!(submission, optionsOf(active, submission.sandbox));
      const facts = factsOf(submission);
      return guarded.now({ active, call: 'methodOf', facts, shape: methodShape, work }).answer ?? defaultMethod;
    },

    nextFetch(active, payment, checks) {
      if (!active.adapter.nextFetch) return 'by_policy';
      const work = (): unknown => active.adapter.nextFetch!(payment, checks, now());
      const result = guarded.now({ active, call: 'nextFetch', facts: factsOf(payment), shape: secondsShape, work });
      return result.failure ? 'by_policy' : result.answer;
    },

    stop: () => guarded.close(),
  };
}

function factsOf({ sandbox, paymentRequestId, attempt }: AttemptFacts, options: CallOptions = {}): CallFacts {
  return { sandbox, paymentRequestId, attempt, ...options };
}
