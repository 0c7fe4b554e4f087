/** Receives a callback: verifies it, parses it, stores it durably, and only then says what to answer. */
import type { Raise } from '../alarms/index.ts';
import { page, type AckOutcome, type Acknowledgement, type RawCallback } from '@paywright/contract';
import { countJsonValues, defaultMaxBodyBytes, maxJsonValues } from '@paywright/contract/core';
import type { Logger } from 'pino';
import { createAddressBudget, type CountOne } from '../access/minute-budget.ts';
import { toAddressBlock } from '../../base/net/address-block.ts';
import { secondsSince, type Metrics } from '../../base/metrics/index.ts';
import type { ThreeDsOptions } from '../payments/submit/three-ds-token.ts';
import type { Side, VerifiedCallback } from '../providers/callback-calls.ts';
import type { ProviderCalls } from '../providers/calls.ts';
import type { FoundRoute, Registry } from '../providers/registry.ts';
import type { ReturnAddresses } from '../payments/return-address.ts';
import { paymentRequestIdOf, type Inbox } from './inbox.ts';
import { createNetworkCheck } from './networks.ts';
import { acknowledgeThreeDs, readThreeDs, threeDsRoute, type ReadThreeDs } from './read-three-ds.ts';
import { createSampledLog } from '../../base/log/sampled-log.ts';
import type { CallbackHead, Callbacks } from './service.ts';
import { withSpan } from '../../base/traces/index.ts';
import type { VerificationTurns } from './verification-turns.ts';

export interface ReceiveDeps {
  readonly inbox: Inbox;
  readonly registry: Registry;
  readonly calls: ProviderCalls;
  readonly threeDs: ThreeDsOptions;
  readonly publicUrl: string;
  readonly returnAddresses: ReturnAddresses;
  /** Networks that an adapter's callbacks come from, as CIDR; an adapter without any takes all. */
  readonly networks: Readonly<Record<string, readonly string[]>>;
  readonly turns: VerificationTurns;
  readonly countOne?: CountOne | undefined;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** What a callback is counted by. */
type Outcome = Answered | 'handshake' | 'forbidden';
/** Whether its payment is known is not looked at before it is answered. */
type Answered = Exclude<AckOutcome, 'unknown_reference'>;

const reasons = {
  no_room: 'no room for its body',
  no_database: 'the database does not answer',
  host_held: 'this host does not fit the others',
} as const;
const tooManyWait = 'too many wait to be verified';
/** Callbacks of one address that has proven none yet. */
const strangersPerMinute = 600;
/** Addresses that have. */
const maxProven = 10_000;

/** What an address below `/callbacks/` belongs to; without `found`, to ourselves. */
interface Target {
  readonly adapter: string;
  readonly found?: FoundRoute;
}

export function createReceive(deps: ReceiveDeps): Pick<Callbacks, 'admit' | 'receive' | 'refuse'> {
  const { inbox, registry, calls, threeDs, publicUrl, returnAddresses, turns, raise, metrics, log } = deps;
  const refusals = createSampledLog(log);
  const strangers = createAddressBudget(strangersPerMinute, 'callbacks of an address', deps);
  const proven = createRecentSet(maxProven);
  const networks = new Map(Object.entries(deps.networks).map(([name, list]) => [name, createNetworkCheck(list)]));

  function logRefusal(logFields: { readonly route: string }, outcome: AckOutcome, reason?: string): void {
    refusals.warn(`${logFields.route} ${outcome}`, { ...logFields, outcome, reason }, 'callback refused');
  }

  /** Nothing says which side it belongs to. */
  function countUnproven(provider: string, outcome: Outcome): void {
    metrics.callbacks.inc({ provider, mode: 'unknown', outcome });
  }

  async function receiveProviders(
    found: FoundRoute,
    path: string,
    raw: RawCallback,
    requestId: string,
  ): Promise<Acknowledgement> {
    const started = performance.now();
    const adapter = found.active.name;
    const logFields = { requestId, adapter, route: path };
    const counted = (outcome: Outcome, side: Side | undefined, acknowledgement: Acknowledgement): Acknowledgement => {
      metrics.callbacks.inc({ provider: adapter, mode: side ?? 'unknown', outcome });
      metrics.callbackAckSeconds.observe({ provider: adapter }, secondsSince(started));
      return acknowledgement;
    };
    const refuse = (outcome: Answered, reason: string, side?: Side): Acknowledgement => {
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
      return refuse(outcome, reason, by.side);
    }
    // Of a payer's browser it says nothing: the message is the provider's, the address is not.
    if (verdict.verdict === 'genuine' && found.route.caller === 'server') proven.add(toAddressBlock(raw.remoteAddress));
    const { verified } = verdict;
    const handshake = calls.probe(found, verified, by.side);
    if (handshake) {
      log.info(logFields, 'handshake answered');
      return counted('handshake', by.side, handshake);
    }
    const parsed = calls.parse(found, verified, by);
    const answer = (outcome: Answered): Acknowledgement => {
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
      const stored = await inbox.store({ adapter, path, raw, requestId });
      // The alarm ends once none is kept.
      raise('callback_unreadable', { type: 'adapter', id: adapter }, parsed.malformed, logFields);
      return answer(stored === 'try_later' ? stored : 'malformed');
    }
    const events =
      verdict.verdict === 'unproven'
        ? parsed.events.map((event) => ({ ...event, mustFetch: true as const }))
        : parsed.events;
    if (!events.length) return answer(parsed.refused ? 'invalid_signature' : 'ignored');
    const callback = { adapter, path, raw, requestId, events };
    const stored = await (verdict.verdict === 'unproven' ? inbox.storePing(callback) : inbox.store(callback));
    return answer(parsed.refused && stored !== 'try_later' ? 'invalid_signature' : stored);
  }

  async function receiveThreeDs(raw: RawCallback, requestId: string): Promise<Acknowledgement> {
    const logFields = { requestId, route: threeDsRoute };
    const read = await turns.run(raw.remoteAddress, async () => readThreeDs(raw, threeDs));
    if (!read) return putOff({ adapter: threeDsRoute }, raw, logFields, tooManyWait);
    if (read.verdict !== 'genuine') {
      logRefusal(logFields, read.verdict);
      countUnproven(threeDsRoute, read.verdict);
      return backFromThreeDs(read.verdict, read);
    }
    const { event } = read.result;
    const outcome = await inbox.store({ adapter: threeDsRoute, path: threeDsRoute, raw, requestId, events: [event] });
    log.info({ ...logFields, outcome, paymentRequestId: paymentRequestIdOf(event) }, 'callback received');
    countUnproven(threeDsRoute, outcome);
    return backFromThreeDs(outcome, read);
  }

  /** Where it leads a browser to a payment's page, our own token named that payment. */
  function backFromThreeDs(outcome: AckOutcome, read: ReadThreeDs): Acknowledgement {
    return returnAddresses.complete(acknowledgeThreeDs(outcome, read, publicUrl), () => true);
  }

  function targetOf(path: string, { method }: CallbackHead): Target | undefined {
    if (path === threeDsRoute) return method === 'POST' || method === 'GET' ? { adapter: threeDsRoute } : undefined;
    const found = registry.route(method, path);
    return found && { adapter: found.active.name, found };
  }

  function acknowledgeUnread({ found }: Target, outcome: AckOutcome, head: CallbackHead): Acknowledgement {
    return found
      ? calls.acknowledge(found, { outcome, raw: { ...head, body: new Uint8Array() } }, 'live')
      : acknowledgeThreeDs(outcome, { verdict: 'malformed' }, publicUrl);
  }

  /** Nobody has looked at it: the provider sends it again. */
  function putOff(
    target: Target,
    head: CallbackHead,
    logFields: { readonly route: string },
    reason: string,
  ): Acknowledgement {
    logRefusal(logFields, 'try_later', reason);
    countUnproven(target.adapter, 'try_later');
    return acknowledgeUnread(target, 'try_later', head);
  }

  return {
    async admit(path, head, requestId) {
      const target = targetOf(path, head);
      if (!target) return undefined;
      const { adapter, found } = target;
      const { remoteAddress } = head;
      const logFields = { requestId, adapter, route: path };
      const isListed = networks.get(adapter)?.(remoteAddress);
      if (isListed === false) {
        const message = 'callback from a network that config does not list';
        refusals.warn(`${path} network`, { ...logFields, remoteAddress }, message);
        countUnproven(adapter, 'forbidden');
        return { refusal: page(403) };
      }
      const isStranger = !isListed && !proven.has(toAddressBlock(remoteAddress));
      if (isStranger && !(await strangers.take(remoteAddress))) {
        return { refusal: putOff(target, head, logFields, 'its address sends many and has proven none') };
      }
      return { maxBodyBytes: maxBodyBytesOf(found), isStranger };
    },

    async receive(path, raw, requestId) {
      const target = targetOf(path, raw);
      if (!target) return undefined;
      return target.found ? receiveProviders(target.found, path, raw, requestId) : receiveThreeDs(raw, requestId);
    },

    refuse(path, head, requestId, why) {
      const target = targetOf(path, head);
      if (!target) return undefined;
      const { adapter } = target;
      const logFields = { requestId, adapter, route: path };
      if (why !== 'too_large') return putOff(target, head, logFields, reasons[why]);
      raise('callback_too_large', { type: 'adapter', id: adapter }, `to ${path}`, logFields);
      countUnproven(adapter, 'malformed');
      return acknowledgeUnread(target, 'malformed', head);
    },
  };
}

function maxBodyBytesOf(found: FoundRoute | undefined): number {
  return found?.route.maxBodyBytes ?? defaultMaxBodyBytes;
}

/** The latest `max` that were added. */
function createRecentSet(max: number): { has(name: string): boolean; add(name: string): void } {
  const names = new Set<string>();
  return {
    has: (name) => names.has(name),
    add(name) {
      names.delete(name);
      names.add(name);
      const [oldest = ''] = names;
      if (names.size > max) names.delete(oldest);
    },
  };
}
