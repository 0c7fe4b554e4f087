/** Receives a callback at a provider's route: verifies it, parses it, stores it durably, and only then answers. */
import type { Logger } from 'pino';
import type { AckOutcome, Acknowledgement, RawCallback } from '@paywright/contract';
import { countJsonValues, defaultMaxBodyBytes, maxJsonValues } from '@paywright/contract/core';
import type { Raise } from '../alarms/index.ts';
import { secondsSince, type Metrics } from '../../base/metrics/index.ts';
import { withSpan } from '../../base/traces/index.ts';
import type { ReturnAddresses } from '../payments/index.ts';
import type { Side, VerifiedCallback } from '../providers/callback-calls.ts';
import type { ProviderCalls } from '../providers/calls.ts';
import type { FoundRoute } from '../providers/registry.ts';
import { lackOf, type CountRefusal } from './count-refusal.ts';
import { paymentRequestIdOf, type Inbox } from './inbox.ts';
import type { VerificationTurns } from './verification-turns.ts';

/** The label by which received callbacks are counted. */
export type CallbackOutcome = AnsweredOutcome | 'handshake' | 'forbidden';
/** A callback is answered before its payment is looked up. */
type AnsweredOutcome = Exclude<AckOutcome, 'unknown_reference'>;

export interface ReceiveFromProviderDeps {
  readonly inbox: Inbox;
  readonly calls: ProviderCalls;
  readonly returnAddresses: ReturnAddresses;
  readonly turns: VerificationTurns;
  /** Called with the address of each server whose callback was genuine. */
  readonly onProven: (remoteAddress: string) => void;
  readonly logRefusal: (logFields: { readonly route: string }, outcome: AckOutcome, reason?: string) => void;
  readonly countRefusal: CountRefusal;
  readonly raise: Raise;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export type ReceiveFromProvider = (
  found: FoundRoute,
  path: string,
  raw: RawCallback,
  requestId: string,
) => Promise<Acknowledgement>;

export const tooManyWait = 'too many callbacks are waiting to be verified';

export function createReceiveFromProvider(deps: ReceiveFromProviderDeps): ReceiveFromProvider {
  const { inbox, calls, returnAddresses, turns, onProven, logRefusal, countRefusal, raise, metrics, log } = deps;

  return async function receiveFromProvider(
    found: FoundRoute,
    path: string,
    raw: RawCallback,
    requestId: string,
  ): Promise<Acknowledgement> {
    const started = performance.now();
    const { name: adapter, account, ref } = found.active;
    const logFields = { requestId, adapter: ref, route: path };
    const origin = { route: path, remoteAddress: raw.remoteAddress, at: raw.receivedAt, raw };
    const counted = (
      outcome: CallbackOutcome,
      side: Side | undefined,
      acknowledgement: Acknowledgement,
    ): Acknowledgement => {
      metrics.callbacks.inc({ provider: adapter, mode: side ?? 'unknown', outcome });
      metrics.callbackAckSeconds.observe({ provider: adapter }, secondsSince(started));
      return acknowledgement;
    };
    const refuse = (outcome: AnsweredOutcome, reason: string, side?: Side): Acknowledgement => {
      logRefusal(logFields, outcome, reason);
      return counted(outcome, side, calls.acknowledge(found, { outcome, raw }, side ?? 'live'));
    };
    const verify = async (): Promise<VerifiedCallback> => {
      const began = performance.now();
      const plan = { attributes: { 'gateway.adapter': adapter } };
      const verified = await withSpan(
        'verify callback',
        () => plan,
        async (span) => {
          const result = await calls.verify(found, raw);
          span.set({ 'gateway.outcome': result.verdict.verdict });
          return result;
        },
      );
      metrics.callbackVerificationSeconds.observe({ provider: adapter }, secondsSince(began));
      return verified;
    };
    const values = countJsonValues(raw.body);
    if (values > maxJsonValues(maxBodyBytesOf(found))) {
      raise('callback_too_large', { type: 'adapter', id: adapter }, `${values} JSON values to ${path}`, logFields);
      return counted('malformed', undefined, calls.acknowledge(found, { outcome: 'malformed', raw }, 'live'));
    }
    const verdictAndSide = await turns.run(raw.remoteAddress, verify);
    if (!verdictAndSide) return refuse('try_later', tooManyWait);
    const { verdict, ...by } = verdictAndSide;
    if (verdict.verdict !== 'genuine' && verdict.verdict !== 'unproven') {
      const { verdict: outcome, reason } = verdict;
      if (outcome !== 'try_later') countRefusal(adapter, lackOf(outcome, reason), origin);
      return refuse(outcome, reason, by.side);
    }
    // A genuine message that a payer's browser brings proves nothing about the browser's address.
    if (verdict.verdict === 'genuine' && found.route.caller === 'server') onProven(raw.remoteAddress);
    const { verified } = verdict;
    const handshake = calls.probe(found, verified, by.side);
    if (handshake) {
      log.info(logFields, 'handshake answered');
      return counted('handshake', by.side, handshake);
    }
    const parsed = calls.parse(found, verified, by);
    const answer = (outcome: AnsweredOutcome): Acknowledgement => {
      const events = 'events' in parsed ? parsed.events : [];
      const received = events.map(({ kind, providerStatus }) => `${kind} ${providerStatus}`);
      const ms = Math.round(performance.now() - started);
      log.info({ ...logFields, outcome, events: received, ms }, 'callback received');
      const acknowledgement = counted(outcome, by.side, calls.acknowledge(found, { outcome, raw, verified }, by.side));
      if (verdict.verdict !== 'genuine') return acknowledgement;
      const named = events.map(paymentRequestIdOf).filter((id) => id !== null);
      return returnAddresses.complete(acknowledgement, (id) => !named.length || named.includes(Number(id)));
    };
    if ('malformed' in parsed) {
      const stored = await inbox.store({ adapter, account, path, raw, requestId });
      // The alarm is cleared when no such callback is kept any more.
      raise('callback_unreadable', { type: 'adapter', id: adapter }, parsed.malformed, logFields);
      return answer(stored === 'try_later' ? stored : 'malformed');
    }
    const ours = parsed.events.filter((event) => event.reference === null || paymentRequestIdOf(event) !== null);
    const events =
      verdict.verdict === 'unproven' ? ours.map((event) => ({ ...event, mustFetch: true as const })) : ours;
    if (!events.length && parsed.refused) countRefusal(adapter, 'the proof of each entry', origin);
    if (!events.length) return answer(parsed.refused ? 'invalid_signature' : 'ignored');
    const callback = { adapter, account, path, raw, requestId, events };
    // A secret proves nothing about a payment of the other mode or of another account. The event is stored, and raises
    // an alarm.
    const proven = { adapter, mode: by.mode, account: found.hasAccounts ? account : undefined };
    const isCertain = verdict.verdict === 'genuine' && (proven.mode ?? proven.account) !== undefined;
    const [stored, isOfOther] = await Promise.all([
      verdict.verdict === 'unproven' ? inbox.storePing(callback) : inbox.store(callback),
      isCertain ? inbox.isOfOther(events, proven) : false,
    ]);
    if (isOfOther && stored !== 'try_later') return answer('ignored');
    return answer(parsed.refused && stored !== 'try_later' ? 'invalid_signature' : stored);
  };
}

export function maxBodyBytesOf(found: FoundRoute | undefined): number {
  return found?.route.maxBodyBytes ?? defaultMaxBodyBytes;
}
