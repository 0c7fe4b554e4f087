/** Makes the guarded calls into an adapter's callback routes. */
import { setImmediate } from 'node:timers/promises';
import {
  tryLater,
  type AckContext,
  type Acknowledgement,
  type EventSource,
  type Verified,
  type RawCallback,
  type ReportedEvent,
  type Verdict,
} from '@paywright/contract';
import { acknowledgeByDefault } from '@paywright/contract/core';
import * as v from 'valibot';
import { acknowledgementShape, parsedShape, verdictShape } from './answer-shapes.ts';
import type { CallFacts, GuardedCalls } from './guarded-call.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';
import type { FoundRoute } from './registry.ts';
import type { MappedEvent, MappedParsed } from './mapped-event.ts';

/** The side whose options verify, read and answer a callback. */
export type Side = 'live' | 'test';

export interface VerifiedCallback {
  readonly verdict: Verdict<never>;
  readonly side: Side;
  /** Present if the side is certain, because no secret is used on both sides. */
  readonly mode?: Side;
}

export interface CallbackCalls {
  /**
   * Returns the keys of the accounts that an unverified callback names. Undefined if the route has no `accountHint`, if
   * the callback names no account, and after a failure of the call.
   */
  hint(found: FoundRoute, raw: RawCallback): readonly string[] | undefined;
  /**
   * Verifies a callback. A failure of the call is `try_later`: the provider must send the callback again. If the
   * sandbox has secrets of its own, the live side verifies first, then the sandbox. The side whose secret fits is the
   * mode. With `mayCall: false` no request reaches the provider, and a proof that needs one is `try_later`.
   */
  verify(found: FoundRoute, raw: RawCallback, options?: { readonly mayCall?: boolean }): Promise<VerifiedCallback>;
  /** Reads the events. A failure of the call is `malformed`: the callback is kept, and needs review. */
  parse(found: FoundRoute, verified: Verified<never>, by: Omit<VerifiedCallback, 'verdict'>): MappedParsed;
  /** Returns the adapter's answer. After a failure, or if the adapter has none, returns the contract's default. */
  acknowledge(found: FoundRoute, context: AckContext<never>, side: Side): Acknowledgement;
  /** Returns the answer to a handshake. Undefined if the callback is not a handshake. */
  probe(found: FoundRoute, verified: Verified<never>, side: Side): Acknowledgement | undefined;
}

/** A verdict that proves nothing. */
export type Refusal = Extract<Verdict<never>, { readonly reason: string }>;

/** The precedence of refusals: if sides or accounts differ, the verdict that is first in this list counts. */
const weight = ['try_later', 'stale', 'malformed', 'invalid_signature'];

/** The refusal that is answered, the first one of its kind. Undefined if there is none. */
export function mostImportant<T extends { readonly verdict: string }>(refusals: readonly T[]): T | undefined {
  return refusals.toSorted((a, b) => weight.indexOf(a.verdict) - weight.indexOf(b.verdict))[0];
}

const hintShape = v.optional(v.union([v.string(), v.array(v.string())]));

export function createCallbackCalls(
  guarded: GuardedCalls,
  withStatus: (
    active: ActiveAdapter,
    facts: CallFacts,
    events: readonly ReportedEvent[],
    source: EventSource,
  ) => MappedEvent[],
  sandbox: boolean,
): CallbackCalls {
  const factsOf = (side: Side): CallFacts => ({ sandbox: side === 'test' });

  async function verifyAs(
    side: Side,
    { active, route }: FoundRoute,
    raw: RawCallback,
    mayCall: boolean,
  ): Promise<Verdict<never>> {
    const result = await guarded.verify({
      active,
      call: 'verifySignature',
      facts: { ...factsOf(side), ...(!mayCall && { makesNoRequests: true }) },
      shape: verdictShape,
      // A copy, so that a change of the bytes by one side does not affect the other.
      work: (ctx) => route.verifySignature({ ...raw, body: Buffer.from(raw.body) }, ctx),
    });
    return result.failure ? tryLater(result.failure.reason) : result.answer;
  }

  return {
    hint({ active, route }, raw) {
      if (!route.accountHint) return undefined;
      const { answer } = guarded.now({
        active,
        call: 'accountHint',
        facts: factsOf('live'),
        shape: hintShape,
        work: () => route.accountHint?.({ ...raw, body: Buffer.from(raw.body) }),
      });
      const keys = typeof answer === 'string' ? [answer] : answer;
      return keys?.length ? keys : undefined;
    },

    async verify(found, raw, { mayCall = true } = {}) {
      if (sandbox) return { verdict: await verifyAs('test', found, raw, mayCall), side: 'test' };
      const live = await verifyAs('live', found, raw, mayCall);
      if (!found.active.hasSandboxProofs || live.verdict === 'unproven') return { verdict: live, side: 'live' };
      if (live.verdict === 'genuine') return { verdict: live, side: 'live', mode: 'live' };
      // A break between the two verifications, so that other work does not wait for both.
      await setImmediate();
      const test = await verifyAs('test', found, raw, mayCall);
      if (test.verdict === 'genuine') return { verdict: test, side: 'test', mode: 'test' };
      return { verdict: mostImportant([live, test])!, side: 'live' };
    },

    parse({ active, route }, verified, { side, mode }) {
      const facts = factsOf(side);
      const result = guarded.now({
        active,
        call: 'parseCallback',
        facts,
        shape: parsedShape,
        work: (ctx) => route.parseCallback(verified, ctx),
      });
      const parsed = result.failure ? { malformed: result.failure.reason } : result.answer;
      if (!('events' in parsed)) return parsed;
      const events = mode ? parsed.events.map((event) => ({ ...event, mode })) : parsed.events;
      return { ...parsed, events: withStatus(active, facts, events, 'callback') };
    },

    acknowledge({ active, route }, context, side) {
      if (!route.acknowledge) return acknowledgeByDefault(context);
      const result = guarded.now({
        active,
        call: 'acknowledge',
        facts: factsOf(side),
        shape: acknowledgementShape,
        work: (ctx) => route.acknowledge?.(context, ctx),
      });
      return result.failure ? acknowledgeByDefault(context) : result.answer;
    },

    probe({ active, route }, verified, side) {
      if (!route.probe) return undefined;
      const result = guarded.now({
        active,
        call: 'probe',
        facts: factsOf(side),
        shape: v.optional(acknowledgementShape),
        work: (ctx) => route.probe?.(verified, ctx),
      });
      return result.failure ? undefined : result.answer;
    },
  };
}
