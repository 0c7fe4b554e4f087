/** The calls into an adapter's callback routes, contained. */
import {
  acknowledgeByDefault,
  tryLater,
  type AckContext,
  type Acknowledgement,
  type Proven,
  type RawCallback,
  type ReportedEvent,
  type Verdict,
} from '@gateway/contract';
import * as v from 'valibot';
import { acknowledgementShape, parsedShape, verdictShape } from './answer-shapes.ts';
import type { CallFacts, Containment } from './guarded-call.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';
import type { FoundRoute } from './registry.ts';
import type { StatedEvent, StatedParsed } from './mapped-event.ts';

export interface CallbackCalls {
  /** Any failing is `try_later`: the provider must send it again. */
  verify(found: FoundRoute, raw: RawCallback): Promise<Verdict<never>>;
  /** Any failing is malformed: kept for a person. */
  parse(found: FoundRoute, proven: Proven<never>): StatedParsed;
  /** Any failing, or an adapter without one, is the contract's default. */
  acknowledge(found: FoundRoute, context: AckContext<never>): Acknowledgement;
  /** The answer of a handshake; undefined where it is none. */
  probe(found: FoundRoute, proven: Proven<never>): Acknowledgement | undefined;
}

export function createCallbackCalls(
  containment: Containment,
  stated: (active: ActiveAdapter, facts: CallFacts, events: readonly ReportedEvent[]) => StatedEvent[],
  sandbox: boolean,
): CallbackCalls {
  const facts: CallFacts = { sandbox };
  return {
    async verify({ active, route }, raw) {
      const result = await containment.verify({
        active,
        call: 'verifySignature',
        facts,
        shape: verdictShape,
        work: (provider) => route.verifySignature(raw, provider),
      });
      return result.fault ? tryLater(result.fault.reason) : result.answer;
    },

    parse({ active, route }, proven) {
      const result = containment.now({
        active,
        call: 'parseCallback',
        facts,
        shape: parsedShape,
        work: (provider) => route.parseCallback(proven, provider),
      });
      const parsed = result.fault ? { malformed: result.fault.reason } : result.answer;
      return 'events' in parsed ? { ...parsed, events: stated(active, facts, parsed.events) } : parsed;
    },

    acknowledge({ active, route }, context) {
      if (!route.acknowledge) return acknowledgeByDefault(context);
      const result = containment.now({
        active,
        call: 'acknowledge',
        facts,
        shape: acknowledgementShape,
        work: (provider) => route.acknowledge?.(context, provider),
      });
      return result.fault ? acknowledgeByDefault(context) : result.answer;
    },

    probe({ active, route }, proven) {
      if (!route.probe) return undefined;
      const result = containment.now({
        active,
        call: 'probe',
        facts,
        shape: v.optional(acknowledgementShape),
        work: (provider) => route.probe?.(proven, provider),
      });
      return result.fault ? undefined : result.answer;
    },
  };
}
