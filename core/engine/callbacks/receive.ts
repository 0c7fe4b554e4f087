/**
 * Receives callbacks. `admit` decides before the body is read, `receive` hands the callback to its route, `refuse`
 * answers a callback whose body was not read.
 */
import type { Raise } from '../alarms/index.ts';
import { page, type AckOutcome, type Acknowledgement, type RawCallback } from '@paywright/contract';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { createAddressBudget, type CountOne } from '../access/minute-budget.ts';
import { toAddressBlock } from '../../base/net/address-block.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { ProviderCalls } from '../providers/calls.ts';
import type { FoundRoute, Registry } from '../providers/registry.ts';
import {
  acknowledgeThreeDs,
  readThreeDs,
  threeDsRoute,
  type ReadThreeDs,
  type ReturnAddresses,
  type ThreeDsOptions,
} from '../payments/index.ts';
import { createCountRefusal } from './count-refusal.ts';
import { paymentRequestIdOf, type Inbox } from './inbox.ts';
import type { OwnershipReader } from './read-ownership.ts';
import { createNetworkCheck } from './networks.ts';
import type { RefusalRecorder, RefusedCallback } from './refused-list.ts';
import {
  createReceiveFromProvider,
  maxBodyBytesOf,
  tooManyWait,
  type CallbackOutcome,
  accountLabelOf,
} from './receive-from-provider.ts';
import { createSampledLog } from '../../base/log/sampled-log.ts';
import type { CallbackHead, Callbacks } from './service.ts';
import type { VerificationTurns } from './verification-turns.ts';

export interface ReceiveDeps {
  readonly inbox: Inbox;
  readonly ownership: OwnershipReader;
  readonly registry: Registry;
  readonly calls: ProviderCalls;
  readonly threeDs: ThreeDsOptions;
  readonly publicUrl: string;
  readonly returnAddresses: ReturnAddresses;
  /** Networks that an adapter's callbacks come from, as CIDR; an adapter without any accepts every address. */
  readonly networks: Readonly<Record<string, readonly string[]>>;
  readonly turns: VerificationTurns;
  readonly countOne?: CountOne | undefined;
  /** Lists callbacks that are refused. */
  readonly refusedList: Pick<RefusalRecorder, 'record'>;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const reasons = {
  no_capacity: 'no capacity for its body',
  no_database: 'the database does not answer',
  host_fenced: 'this host is incompatible with the cluster',
} as const;
/** Callbacks per minute from one address that has never sent a genuine one. */
const strangersPerMinute = 600;
/** Addresses that are remembered because they have sent a genuine callback. */
const maxProven = 10_000;

/** The owner of a path below `/callbacks/`. Without `found`, the route is our own (3D Secure). */
interface Target {
  readonly adapter: string;
  readonly found?: FoundRoute;
}

export function createReceive(deps: ReceiveDeps): Pick<Callbacks, 'admit' | 'receive' | 'refuse'> {
  const { inbox, registry, calls, threeDs, publicUrl, returnAddresses, turns, raise, metrics, log } = deps;
  const refusals = createSampledLog(log);
  const strangers = createAddressBudget(strangersPerMinute, 'callbacks of an address', deps);
  const proven = new LRUCache<string, true>({ max: maxProven });
  const networks = new Map(Object.entries(deps.networks).map(([name, list]) => [name, createNetworkCheck(list)]));

  function logRefusal(logFields: { readonly route: string }, outcome: AckOutcome, reason?: string): void {
    refusals.warn(`${logFields.route} ${outcome}`, { ...logFields, outcome, reason }, 'callback refused');
  }

  const countRefusal = createCountRefusal(metrics, deps.refusedList);
  const receiveFromProvider = createReceiveFromProvider({
    ...deps,
    countRefusal,
    onProven: (remoteAddress) => proven.set(toAddressBlock(remoteAddress), true),
    logRefusal,
  });

  /** Counts a callback whose mode is unknown. */
  function countUnproven({ adapter: provider, found }: Target, outcome: CallbackOutcome): void {
    metrics.callbacks.inc({ provider, account: accountLabelOf(metrics, found), mode: 'unknown', outcome });
  }

  async function receiveThreeDs(raw: RawCallback, requestId: string): Promise<Acknowledgement> {
    const logFields = { requestId, route: threeDsRoute };
    const read = await turns.run(raw.remoteAddress, async () => readThreeDs(raw, threeDs));
    if (!read) return postpone({ adapter: threeDsRoute }, raw, logFields, tooManyWait);
    if (read.verdict !== 'genuine') {
      logRefusal(logFields, read.verdict);
      countUnproven({ adapter: threeDsRoute }, read.verdict);
      return backFromThreeDs(read.verdict, read);
    }
    const { event } = read.result;
    const outcome = await inbox.store({ adapter: threeDsRoute, path: threeDsRoute, raw, requestId, events: [event] });
    log.info({ ...logFields, outcome, paymentRequestId: paymentRequestIdOf(event) }, 'callback received');
    countUnproven({ adapter: threeDsRoute }, outcome);
    return backFromThreeDs(outcome, read);
  }

  /** If the answer leads the browser to a payment's page, our own token has named that payment. */
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

  /** The callback was not verified: the answer makes the provider send it again. */
  function postpone(
    target: Target,
    head: CallbackHead,
    logFields: { readonly route: string },
    reason: string,
  ): Acknowledgement {
    logRefusal(logFields, 'try_later', reason);
    countUnproven(target, 'try_later');
    return acknowledgeUnread(target, 'try_later', head);
  }

  return {
    async admit(path, head, requestId) {
      const target = targetOf(path, head);
      if (!target) {
        const missed = registry.missed(head.method, path);
        if (missed) countRefusal(missed.adapter, missed.lack, originOf(path, head));
        return undefined;
      }
      const { adapter, found } = target;
      const { remoteAddress } = head;
      const logFields = { requestId, adapter, route: path };
      const isListed = networks.get(adapter)?.(remoteAddress);
      if (isListed === false) {
        const message = 'callback from a network that config does not list';
        refusals.warn(`${path} network`, { ...logFields, remoteAddress }, message);
        countUnproven(target, 'forbidden');
        countRefusal(adapter, 'an address in a network that config lists', originOf(path, head));
        return { refusal: page(403) };
      }
      const isStranger = !isListed && !proven.has(toAddressBlock(remoteAddress));
      if (isStranger && !(await strangers.take(remoteAddress))) {
        return { refusal: postpone(target, head, logFields, 'its address sends many callbacks, none of them genuine') };
      }
      return { maxBodyBytes: maxBodyBytesOf(found), isStranger };
    },

    async receive(path, raw, requestId) {
      const target = targetOf(path, raw);
      if (!target) return undefined;
      return target.found ? receiveFromProvider(target.found, path, raw, requestId) : receiveThreeDs(raw, requestId);
    },

    refuse(path, head, requestId, why) {
      const target = targetOf(path, head);
      if (!target) return undefined;
      const { adapter } = target;
      const logFields = { requestId, adapter, route: path };
      if (why !== 'too_large') return postpone(target, head, logFields, reasons[why]);
      raise('callback_too_large', { type: 'adapter', id: adapter }, `to ${path}`, logFields);
      countUnproven(target, 'malformed');
      return acknowledgeUnread(target, 'malformed', head);
    },
  };
}

/** Where a callback without a body came from. */
function originOf(
  route: string,
  { remoteAddress, receivedAt: at }: CallbackHead,
): Pick<RefusedCallback, 'route' | 'remoteAddress' | 'at'> {
  return { route, remoteAddress, at };
}
