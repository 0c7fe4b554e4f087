/** Every call into an adapter, contained: what it throws, or never answers, becomes the outcome that is right for it. */
import {
  nothingCharged,
  paymentMethods,
  unknown,
  type AttemptFacts,
  type CompletionStep,
  type EventKind,
  type EventStatus,
  type Outcome,
  type PaymentMethod,
  type Provider,
  type RefundRequest,
  type ReportedEvent,
  type StoredPayment,
  type Submission,
} from '@gateway/contract';
import * as v from 'valibot';
import { statusesByKind } from './load/adapter-shape.ts';
import { commitShape, outcomeShape, reportShape } from './answer-shapes.ts';
import { createCallbackCalls, type CallbackCalls } from './callback-calls.ts';
import { createContainment, type CallFacts, type Contained, type ContainmentSetup } from './guarded-call.ts';
import type { ActiveAdapter, AdapterOptions } from './load/load-adapters.ts';
import type { Registry } from './registry.ts';
import type { StatedEvent, StatedReport } from './mapped-event.ts';

export interface ProviderCallsSetup extends ContainmentSetup {
  readonly registry: Registry;
  /** Which side callbacks belong to in this environment. */
  readonly callbackSandbox: boolean;
}

interface Lent {
  readonly threeDsToken?: string | undefined;
}

/** None of these throws, whatever the adapter does; `name` is the adapter's. */
export interface ProviderCalls extends CallbackCalls {
  /** Failed, nothing charged, where certainly nothing left; any other failing is unknown. */
  submit(name: string, submission: Submission, lent?: Lent): Promise<Outcome>;
  /** Any failing is unknown: a charge under way may still end by itself. */
  complete(name: string, payment: StoredPayment, step: CompletionStep, lent?: Lent): Promise<Outcome>;
  /** Any failing is no news. */
  fetchStatus(name: string, payment: StoredPayment, subReference?: string): Promise<StatedReport>;
  /** As `submit`. */
  refund(name: string, payment: StoredPayment, refund: RefundRequest): Promise<Outcome>;
  /** Any failing is `later`; an adapter without it is `done`. */
  afterCommit(name: string, payment: StoredPayment, commitNote: string): Promise<'done' | 'changed' | 'later'>;
  methodOf(active: ActiveAdapter, submission: Submission): PaymentMethod;
  /** Seconds, undefined (put aside for a person), or `by_policy`: what the manifest says. */
  nextFetch(active: ActiveAdapter, payment: StoredPayment, asked: number): number | 'by_policy' | undefined;
  /** How often words were met that an adapter's tables lack, by `<adapter> <kind>:<word>`. */
  unknownWords(): ReadonlyMap<string, number>;
  close(): void;
}

type Ability = 'submit' | 'complete' | 'fetchStatus' | 'refund' | 'afterCommit';
type Adapter = ActiveAdapter['adapter'];
type Lender = Provider<AdapterOptions>;

const MAX_UNKNOWN_WORDS = 1000;

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
  const { registry, log, now } = setup;
  const containment = createContainment(setup);
  const words = new Map<string, number>();

  /** Calls one ability; an adapter that is off, or lacks it, was not asked. */
  async function ask<T>(
    name: string,
    call: Ability,
    facts: CallFacts,
    shape: v.GenericSchema<unknown, T>,
    run: (adapter: Adapter, provider: Lender) => Promise<unknown>,
  ): Promise<Contained<T> & { readonly active?: ActiveAdapter }> {
    const active = registry.byName(name);
    if (!active) return { fault: { reason: `${name} is off`, nothingLeft: true } };
    if (!active.adapter[call]) return { fault: { reason: `${name} has no ${call}`, nothingLeft: true } };
    const work = async (provider: Lender): Promise<unknown> => run(active.adapter, provider);
    return { ...(await containment.call({ active, call, facts, shape, work })), active };
  }

  async function askOutcome(
    name: string,
    call: Ability,
    facts: CallFacts,
    run: (adapter: Adapter, provider: Lender) => Promise<Outcome>,
  ): Promise<Outcome> {
    const result = await ask(name, call, facts, outcomeShape, run);
    if (!result.fault) return judged(call, noted(name, call, facts, result.answer), result.lastStatus);
    const { reason, nothingLeft } = result.fault;
    // A charge that waits for its completion may still end by itself.
    return nothingLeft && call !== 'complete' ? { ...nothingCharged(reason), neverSent: true } : unknown(reason);
  }

  /** What a refusal is worth, by what was asked. */
  function judged(call: Ability, outcome: Outcome, lastStatus: number | undefined): Outcome {
    if (outcome.outcome !== 'failed' || !outcome.nothingCharged) return outcome;
    // The payer is through with the step: an earlier request to complete it may have charged.
    if (call === 'complete') return unknown(outcome.reason ?? 'the provider did not complete the step now');
    const isDoor = lastStatus !== undefined && (lastStatus >= 500 || [401, 403, 408, 429].includes(lastStatus));
    return call === 'refund' && isDoor ? { ...outcome, turnedAway: true } : outcome;
  }

  /** Looks at what an outcome says about the adapter itself. */
  function noted(adapter: string, call: Ability, facts: CallFacts, outcome: Outcome): Outcome {
    if (outcome.unknownWord !== undefined) count(adapter, 'decline', outcome.unknownWord);
    if (outcome.outcome === 'failed' && outcome.misconfigured) {
      const { paymentRequestId, attempt } = facts;
      const line = { alarm: true, adapter, call, paymentRequestId, attempt, reason: outcome.reason };
      log.error(line, 'the provider refuses our account or keys: check the options of this adapter');
    }
    return outcome;
  }

  function count(adapter: string, kind: string, word: string): void {
    const key = `${adapter} ${kind}:${word.slice(0, 100)}`;
    const kept = words.has(key) || words.size < MAX_UNKNOWN_WORDS ? key : `${adapter} others`;
    words.set(kept, (words.get(kept) ?? 0) + 1);
  }

  function stated(active: ActiveAdapter, facts: CallFacts, events: readonly ReportedEvent[]): StatedEvent[] {
    return events.map((event) => {
      const work = (): unknown => active.adapter.mapStatus(event);
      const shape = statusShapes[event.kind];
      const { answer: status = 'unknown' } = containment.now({ active, call: 'mapStatus', facts, shape, work });
      if (status === 'unknown') count(active.name, event.kind, event.word);
      return { ...event, status };
    });
  }

  return {
    ...createCallbackCalls(containment, stated, setup.callbackSandbox),

    submit: async (name, submission, lent) =>
      askOutcome(name, 'submit', factsOf(submission, lent), async (adapter, provider) =>
        adapter.submit(submission, provider),
      ),

    complete: async (name, payment, step, lent) =>
      askOutcome(name, 'complete', factsOf(payment, lent), async (adapter, provider) =>
        adapter.complete!(payment, step, provider),
      ),

    refund: async (name, payment, refund) =>
      askOutcome(name, 'refund', factsOf(payment), async (adapter, provider) =>
        adapter.refund!(payment, refund, provider),
      ),

    async fetchStatus(name, payment, subReference) {
      const facts = factsOf(payment);
      const { fault, answer, active } = await ask(name, 'fetchStatus', facts, reportShape, async (adapter, provider) =>
        adapter.fetchStatus!(payment, provider, subReference),
      );
      if (fault) return { news: 'none', reason: fault.reason };
      return answer.news === 'events' ? { ...answer, events: stated(active!, facts, answer.events) } : answer;
    },

    async afterCommit(name, payment, commitNote) {
      const found = registry.byName(name);
      if (found && !found.adapter.afterCommit) return 'done';
      const { answer = 'later' } = await ask(
        name,
        'afterCommit',
        factsOf(payment),
        commitShape,
        async (adapter, lent) => adapter.afterCommit!(payment, commitNote, lent),
      );
      return answer;
    },

    methodOf(active, submission) {
      const usual = active.adapter.manifest.methods[0]!;
      if (!active.adapter.methodOf) return usual;
      const work = (): unknown => active.adapter.methodOf!(submission, active.options);
      const facts = factsOf(submission);
      return containment.now({ active, call: 'methodOf', facts, shape: methodShape, work }).answer ?? usual;
    },

    nextFetch(active, payment, asked) {
      if (!active.adapter.nextFetch) return 'by_policy';
      const work = (): unknown => active.adapter.nextFetch!(payment, asked, now());
      const result = containment.now({ active, call: 'nextFetch', facts: factsOf(payment), shape: secondsShape, work });
      return result.fault ? 'by_policy' : result.answer;
    },

    unknownWords: () => words,
    close: () => containment.close(),
  };
}

function factsOf({ sandbox, paymentRequestId, attempt }: AttemptFacts, lent: Lent = {}): CallFacts {
  return { sandbox, paymentRequestId, attempt, threeDsToken: lent.threeDsToken };
}
