/** Calls one ability of an adapter under guard and inside a trace span, and turns failures into outcomes. */
import {
  defined,
  misconfigured,
  nothingCharged,
  unknown,
  type AdapterContext,
  type Outcome,
} from '@paywright/contract';
import type * as v from 'valibot';
import type { Metrics } from '../../base/metrics/index.ts';
import { withSpan, type SpanPlan } from '../../base/traces/index.ts';
import { outcomeShape } from './answer-shapes.ts';
import type { CallFacts, CallResult, GuardedCalls } from './guarded-call.ts';
import type { ActiveAdapter, AdapterOptions } from './load/load-adapters.ts';
import type { OutcomeRecorder } from './record-outcome.ts';
import type { Registry } from './registry.ts';

export type Ability =
  'submit' | 'complete' | 'fetchStatus' | 'refund' | 'capture' | 'void' | 'close' | 'checkAccount' | 'markSeen';

type Adapter = ActiveAdapter['adapter'];
type Context = AdapterContext<AdapterOptions>;

export interface AbilityCalls {
  /** Calls one ability. An adapter that is off, or lacks the ability, is not called. */
  readonly callAbility: <T>(
    ref: string,
    call: Ability,
    facts: CallFacts,
    shape: v.GenericSchema<unknown, T>,
    run: (adapter: Adapter, ctx: Context) => Promise<unknown>,
  ) => Promise<CallResult<T> & { readonly active?: ActiveAdapter }>;
  /** Calls one ability that answers with an outcome. A failure becomes the outcome that is right for the ability. */
  readonly callForOutcome: (
    ref: string,
    call: Ability,
    facts: CallFacts,
    run: (adapter: Adapter, ctx: Context) => Promise<Outcome>,
  ) => Promise<Outcome>;
}

export interface AbilityCallsDeps {
  readonly registry: Pick<Registry, 'byName'>;
  readonly guarded: Pick<GuardedCalls, 'call'>;
  readonly recordOutcome: OutcomeRecorder['recordOutcome'];
  readonly metrics: Pick<Metrics, 'providerCalls' | 'accountLabel'>;
}

/** Abilities that are repeated under one reference. A rejected repetition says nothing about the first request. */
const repeatable: ReadonlySet<Ability> = new Set(['refund', 'capture', 'void', 'close']);

export function createAbilityCalls({ registry, guarded, recordOutcome, metrics }: AbilityCallsDeps): AbilityCalls {
  const callAbility: AbilityCalls['callAbility'] = async (ref, call, facts, shape, run) => {
    const active = registry.byName(ref);
    if (!active) return { failure: { reason: `${ref} is off`, noneSent: true } };
    if (!active.adapter[call]) return { failure: { reason: `${ref} has no ${call}`, noneSent: true } };
    const work = async (ctx: Context): Promise<unknown> => run(active.adapter, ctx);
    const plan = (): SpanPlan => ({
      kind: 'client',
      attributes: {
        'gateway.adapter': active.name,
        'gateway.account': active.account,
        'gateway.call': call,
        'gateway.mode': facts.sandbox ? 'test' : 'live',
        'gateway.payment_request_id': facts.paymentRequestId,
        'gateway.attempt': facts.attempt,
      },
    });
    return withSpan(`${call} ${ref}`, plan, async (span) => {
      const result = await guarded.call({ active, call, facts, shape, work });
      span.set({ 'gateway.outcome': outcomeLabel(result), 'http.response.status_code': result.lastStatus });
      if (result.failure) span.fail();
      metrics.providerCalls.inc({
        provider: active.name,
        account: metrics.accountLabel(active.name, active.account),
        mode: facts.sandbox ? 'test' : 'live',
        outcome: resultOf(result),
      });
      // Also for a fetch or an account check, which have no outcome of their own.
      if (result.failure?.misconfigured) recordOutcome(ref, call, facts, misconfigured(result.failure.reason));
      return { ...result, active };
    });
  };

  return {
    callAbility,

    async callForOutcome(ref, call, facts, run) {
      const result = await callAbility(ref, call, facts, outcomeShape, run);
      const kept = defined({ adapterState: result.kept, sandboxRule: result.sandboxRule });
      if (!result.failure) {
        const outcome = { ...kept, ...result.answer };
        recordOutcome(ref, call, facts, outcome);
        return classifyFailure(call, outcome, result.lastStatus);
      }
      const { reason, noneSent, misconfigured: isRefused } = result.failure;
      // "Not sent" is uncertain in two cases: a charge that waits for its completion may still succeed, and after the
      // deadline another process may have sent the repeated request.
      const isRepeated = repeatable.has(call) && facts.deadlinePassed?.() === true;
      const isNotSent = noneSent && call !== 'complete' && !isRepeated;
      const refusal = isRefused ? misconfigured(reason) : nothingCharged(reason);
      return { ...kept, ...(isNotSent ? { ...refusal, notSent: true } : unknown(reason)) };
    },
  };
}

function resultOf({ failure, answer }: CallResult<unknown>): 'answered' | 'failed' | 'refused' {
  const { misconfigured: isRefused = false } = (failure ?? Object(answer)) as { readonly misconfigured?: boolean };
  return isRefused ? 'refused' : failure ? 'failed' : 'answered';
}

/** Decides, by the ability that was called, how far the adapter's "nothing charged" can be trusted. */
function classifyFailure(call: Ability, outcome: Outcome, lastStatus: number | undefined): Outcome {
  if (outcome.outcome !== 'failed' || !outcome.nothingCharged) return outcome;
  // The payer has finished the step, so an earlier request to complete it may have charged.
  if (call === 'complete') {
    const { reason = 'the provider did not complete the step now', adapterState } = outcome;
    return { ...unknown(reason), ...defined({ adapterState }) };
  }
  const isRejection = lastStatus !== undefined && (lastStatus >= 500 || [401, 403, 408, 429].includes(lastStatus));
  return repeatable.has(call) && isRejection ? { ...outcome, requestRejected: true } : outcome;
}

/** Returns the label of a call's result in its span. */
function outcomeLabel({ failure, answer }: CallResult<unknown>): string {
  if (failure) return failure.noneSent ? 'not_sent' : 'unknown';
  const { outcome, result } = Object(answer) as { readonly outcome?: unknown; readonly result?: unknown };
  const label = [outcome, result, answer].find((one) => typeof one === 'string');
  return label ?? 'answered';
}
