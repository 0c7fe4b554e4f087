/** Receives a callback: verifies it, parses it, stores it durably, and only then says what to answer. */
import type { Raise } from '../alarms/index.ts';
import {
  countJsonValues,
  defaultMaxBodyBytes,
  maxJsonValues,
  page,
  type AckOutcome,
  type Acknowledgement,
  type RawCallback,
} from '@gateway/contract';
import type { Logger } from 'pino';
import { createAddressBudget, type CountOne } from '../access/minute-budget.ts';
import { toAddressBlock } from '../address-block.ts';
import type { ThreeDsOptions } from '../payments/submit/three-ds-token.ts';
import type { Side } from '../providers/callback-calls.ts';
import type { ProviderCalls } from '../providers/calls.ts';
import type { FoundRoute, Registry } from '../providers/registry.ts';
import type { ReturnAddresses } from '../return-address.ts';
import { paymentRequestIdOf, type Inbox } from './inbox.ts';
import { createNetworkCheck } from './networks.ts';
import { acknowledgeThreeDs, readThreeDs, threeDsRoute, type ReadThreeDs } from './read-three-ds.ts';
import { createSampledLog } from '../sampled-log.ts';
import type { Callbacks } from './service.ts';
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
  readonly log: Logger;
}

/** Callbacks of one address that has proven none yet. */
const strangersPerMinute = 600;
/** Addresses that have. */
const maxProven = 10_000;

export function createReceive(deps: ReceiveDeps): Pick<Callbacks, 'receive' | 'refuse' | 'maxBodyBytes'> {
  const { inbox, registry, calls, threeDs, publicUrl, returnAddresses, turns, raise, log } = deps;
  const refusals = createSampledLog(log);
  const strangers = createAddressBudget(strangersPerMinute, 'callbacks of an address', deps);
  const proven = createRecentSet(maxProven);
  const networks = new Map(Object.entries(deps.networks).map(([name, list]) => [name, createNetworkCheck(list)]));

  function logRefusal(logFields: { readonly route: string }, outcome: AckOutcome, reason?: string): void {
    refusals.warn(`${logFields.route} ${outcome}`, { ...logFields, outcome, reason }, 'callback refused');
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
    const refuse = (outcome: AckOutcome, reason: string, side: Side): Acknowledgement => {
      logRefusal(logFields, outcome, reason);
      return calls.acknowledge(found, { outcome, raw }, side);
    };
    if (networks.get(adapter)?.(raw.remoteAddress) === false) {
      refusals.warn(
        `${path} network`,
        { ...logFields, remoteAddress: raw.remoteAddress },
        'callback from a network that config does not list',
      );
      return page(403);
    }
    const address = toAddressBlock(raw.remoteAddress);
    if (!networks.get(adapter) && !proven.has(address) && !(await strangers.take(raw.remoteAddress))) {
      return refuse('try_later', 'its address sends many and has proven none', 'live');
    }
    const values = countJsonValues(raw.body);
    if (values > maxJsonValues(maxBodyBytesOf(found))) {
      raise('callback_too_large', { type: 'adapter', id: adapter }, `${values} JSON values to ${path}`, logFields);
      return calls.acknowledge(found, { outcome: 'malformed', raw }, 'live');
    }
    const verdictAndSide = await turns.run(raw.remoteAddress, async () => calls.verify(found, raw));
    if (!verdictAndSide) {
      return refuse('try_later', 'too many wait to be verified', 'live');
    }
    const { verdict, ...by } = verdictAndSide;
    if (verdict.verdict !== 'genuine' && verdict.verdict !== 'unproven') {
      const { verdict: outcome, reason } = verdict;
      return refuse(outcome, reason, by.side);
    }
    if (verdict.verdict === 'genuine') proven.add(address);
    const { verified } = verdict;
    const handshake = calls.probe(found, verified, by.side);
    if (handshake) {
      log.info(logFields, 'handshake answered');
      return handshake;
    }
    const parsed = calls.parse(found, verified, by);
    const answer = (outcome: AckOutcome): Acknowledgement => {
      const events = 'events' in parsed ? parsed.events : [];
      const received = events.map(({ kind, providerStatus }) => `${kind} ${providerStatus}`);
      const ms = Math.round(performance.now() - started);
      log.info({ ...logFields, outcome, events: received, ms }, 'callback received');
      const acknowledgement = calls.acknowledge(found, { outcome, raw, verified }, by.side);
      if (verdict.verdict !== 'genuine') return acknowledgement;
      const named = events.map(paymentRequestIdOf).filter((id) => id !== null);
      return returnAddresses.complete(acknowledgement, (id) => !named.length || named.includes(Number(id)));
    };
    if ('malformed' in parsed) {
      raise('callback_unreadable', { type: 'adapter', id: adapter }, parsed.malformed, logFields);
      const stored = await inbox.store({ adapter, path, raw, requestId });
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
    const read = readThreeDs(raw, threeDs);
    const logFields = { requestId, route: threeDsRoute };
    if (read.verdict !== 'genuine') {
      logRefusal(logFields, read.verdict);
      return backFromThreeDs(read.verdict, read);
    }
    const { event } = read.result;
    const outcome = await inbox.store({ adapter: threeDsRoute, path: threeDsRoute, raw, requestId, events: [event] });
    log.info({ ...logFields, outcome, paymentRequestId: paymentRequestIdOf(event) }, 'callback received');
    return backFromThreeDs(outcome, read);
  }

  /** Where it leads a browser to a payment's page, our own token named that payment. */
  function backFromThreeDs(outcome: AckOutcome, read: ReadThreeDs): Acknowledgement {
    return returnAddresses.complete(acknowledgeThreeDs(outcome, read, publicUrl), () => true);
  }

  return {
    maxBodyBytes: (method, path) => maxBodyBytesOf(registry.route(method, path)),

    async receive(path, raw, requestId) {
      if (path === threeDsRoute) return isStepReturn(path, raw) ? receiveThreeDs(raw, requestId) : undefined;
      const found = registry.route(raw.method, path);
      return found && receiveProviders(found, path, raw, requestId);
    },

    refuse(path, raw, requestId, why) {
      const found = registry.route(raw.method, path);
      const isThreeDs = isStepReturn(path, raw);
      if (!found && !isThreeDs) return undefined;
      const adapter = found?.active.name ?? threeDsRoute;
      const logFields = { requestId, adapter, route: path };
      const outcome = why === 'too_large' ? 'malformed' : 'try_later';
      if (why === 'too_large') raise('callback_too_large', { type: 'adapter', id: adapter }, `to ${path}`, logFields);
      else logRefusal(logFields, outcome, why === 'no_room' ? 'no room for its body' : 'the database does not answer');
      return found
        ? calls.acknowledge(found, { outcome, raw }, 'live')
        : acknowledgeThreeDs(outcome, { verdict: 'malformed' }, publicUrl);
    },
  };
}

function isStepReturn(path: string, { method }: RawCallback): boolean {
  return path === threeDsRoute && (method === 'POST' || method === 'GET');
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
