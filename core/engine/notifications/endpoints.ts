/**
 * The endpoints of merchants. An endpoint is an owner's addresses of one environment and origin. If every attempt
 * fails for days, the endpoint is disabled: nothing is sent to it, and its notifications are kept as exhausted until
 * it is enabled.
 */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { endpointModel, type EndpointDocument } from '../../database/collections/endpoint.ts';
import {
  notificationModel,
  receiverNamesOf,
  type NotificationDocument,
} from '../../database/collections/notification.ts';
import { DAY, MINUTE } from '../../base/async/time.ts';
import { enableEndpoint } from './enable-endpoint.ts';
import { idOf, present, testType, toEndpoint, type DisabledEndpoint, type Target } from './endpoint.ts';

export interface Endpoints {
  /** True if only test events may be sent. A change by another process shows within 30 s. */
  isDisabled(target: Target): Promise<boolean>;
  /** Records the result of an attempt that started at this time. Writes only if the state of the endpoint changes. */
  recordResult(target: Attempted, result: 'delivered' | 'failed', at: Date): Promise<void>;
  /** Reads what other processes wrote, if that is due, and finishes what a dead process had started. */
  refresh(): Promise<void>;
}

/** The row of the attempt. */
type Attempted = Target & Pick<NotificationDocument, 'tries' | 'round'>;

export interface EndpointsDeps {
  readonly connection: Connection;
  /** Failures alone for this long disable an endpoint. */
  readonly disableAfterMs: number;
  readonly now: () => Date;
  /** Reports that it is disabled. Repeated later, by any process, if it rejects or its process dies. */
  readonly onDisabled: (endpoint: DisabledEndpoint) => Promise<void>;
  /** Called when notifications became due. */
  readonly onEnabled: () => void;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

const readEveryMs = 30_000;
/** Far more endpoints than fail at the same time. Beyond this limit some are read late. */
const maxRead = 10_000;
/** For this long after a delivery, a failure that started before it may still be written or read. */
const rememberMs = 5 * MINUTE;
/** Time for a process to report a disabled endpoint, or to resend what was kept. Then another process takes over. */
const takeOverAfterMs = MINUTE;
const reportRetryMs = 10 * MINUTE;
/** After this, reports are no longer retried. The list of endpoints shows the endpoint as disabled. */
const reportForMs = DAY;

export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { connection, disableAfterMs, now, onDisabled, onEnabled, log } = deps;
  const model = endpointModel(connection);
  /** The endpoints that fail, as of the latest read and the later writes of this process. */
  let failing = new Map<string, EndpointDocument>();
  /** The start of the latest successful attempt to each endpoint. */
  const delivered = new Map<string, Date>();
  /** The endpoints that this process removed since the latest read. */
  const forgotten = new Set<string>();
  const latest = { read: -Infinity, sweep: -Infinity };
  let reading: Promise<void> | undefined;
  const isRecent = (time: number): boolean => Math.abs(now().getTime() - time) < readEveryMs;

  async function read(): Promise<void> {
    const found = await model.find().limit(maxRead).lean<EndpointDocument[]>();
    failing = new Map(found.map((endpoint) => [endpoint._id, endpoint]));
    latest.read = now().getTime();
    forgotten.clear();
    // Another process wrote that they fail, and this process did not know it when it delivered.
    for (const endpoint of found) {
      const at = delivered.get(endpoint._id);
      if (at && isTried(endpoint) && endpoint.failingSince <= at) await forget(endpoint._id, at);
    }
    const oldest = now().getTime() - rememberMs;
    for (const [id, at] of delivered) if (at.getTime() < oldest) delivered.delete(id);
  }

  async function ensureRead(): Promise<void> {
    if (isRecent(latest.read)) return;
    reading ??= read().finally(() => (reading = undefined));
    await reading;
  }

  async function startFailing(endpoint: EndpointDocument): Promise<void> {
    failing.set(endpoint._id, endpoint);
    const { _id, ...members } = endpoint;
    await model.updateOne({ _id }, { $setOnInsert: members }, { upsert: true });
  }

  /**
   * Removes an endpoint, because an attempt that started at this time was delivered. A disabled one stays disabled,
   * until a test event is delivered or a person enables it.
   */
  async function forget(id: string, at: Date): Promise<void> {
    failing.delete(id);
    forgotten.add(id);
    const tried = { disabledAt: { $exists: false }, enabledAt: { $exists: false } };
    await model.deleteOne({ _id: id, failingSince: { $lte: at }, ...tried });
  }

  async function disable(endpoint: EndpointDocument): Promise<void> {
    const { _id, failingSince } = endpoint;
    const disabledAt = now();
    const change = { disabledAt, tellAt: new Date(disabledAt.getTime() + takeOverAfterMs) };
    const { modifiedCount } = await model.updateOne({ _id, failingSince, disabledAt: { $exists: false } }, change);
    // Otherwise another process delivered to it, or has disabled it already.
    if (modifiedCount === 0) latest.read = -Infinity;
    else {
      failing.set(_id, { ...endpoint, ...change });
      await report({ ...endpoint, disabledAt });
    }
  }

  async function report(endpoint: EndpointDocument & { readonly disabledAt: Date }): Promise<void> {
    const { _id, disabledAt } = endpoint;
    try {
      await onDisabled({ ...present(endpoint), disabledAt });
      await model.updateOne({ _id, disabledAt }, { $unset: { tellAt: '' } });
    } catch (error) {
      log.warn({ endpoint: _id, err: error }, 'the report that an endpoint is disabled failed: it is retried');
    }
  }

  async function reportAgain(_id: string, tellAt: Date): Promise<void> {
    const at = now();
    const next = { tellAt: new Date(at.getTime() + reportRetryMs) };
    const endpoint = await model.findOneAndUpdate({ _id, tellAt }, next).lean<EndpointDocument | null>();
    if (!endpoint?.disabledAt) return;
    const { disabledAt } = endpoint;
    if (at.getTime() - disabledAt.getTime() < reportForMs) return report({ ...endpoint, disabledAt });
    await model.updateOne({ _id, disabledAt }, { $unset: { tellAt: '' } });
    log.error({ endpoint: _id }, 'the merchant was not notified that an endpoint is disabled');
  }

  async function enable(id: string): Promise<void> {
    failing.delete(id);
    if ((await enableEndpoint(connection, id, now())) > 0) onEnabled();
  }

  return {
    async isDisabled(target) {
      if (target.type === testType) return false;
      await ensureRead();
      const id = idOf(target);
      if (!failing.get(id)?.disabledAt) return false;
      // It may have been enabled within the last seconds, and an exhausted notification stays exhausted.
      const current = await model.findById(id).lean<EndpointDocument | null>();
      if (!current?.disabledAt) failing.delete(id);
      return current?.disabledAt !== undefined;
    },

    async recordResult(target, result, at) {
      await ensureRead();
      const id = idOf(target);
      const endpoint = failing.get(id);
      const deliveredAt = delivered.get(id);
      if (result === 'delivered') {
        if (!deliveredAt || deliveredAt < at) delivered.set(id, at);
        // A test event counts immediately, even if another process has just disabled the endpoint.
        if (target.type === testType) return enable(id);
        // After a retry or a resend, only another process may know that the endpoint fails.
        const failedBefore = (target.tries > 0 || target.round > 1) && !forgotten.has(id);
        if (endpoint ? isTried(endpoint) : failedBefore) await forget(id, at);
      } else if (!endpoint) {
        if (!deliveredAt || deliveredAt <= at) await startFailing(toEndpoint(target, at));
      } else if (isTried(endpoint) && now().getTime() - endpoint.failingSince.getTime() >= disableAfterMs) {
        if (!(await hasDelivered(connection, endpoint))) return disable(endpoint);
        await forget(id, at);
        await startFailing(toEndpoint(target, at));
      }
    },

    async refresh() {
      if (isRecent(latest.sweep)) return;
      latest.sweep = now().getTime();
      await ensureRead();
      const at = now();
      for (const endpoint of failing.values()) {
        const { _id, tellAt, enabledAt } = endpoint;
        if (tellAt && tellAt <= at) await reportAgain(_id, tellAt);
        // One process resumes it: for the others it has only just started.
        const resumed = enabledAt && at.getTime() - enabledAt.getTime() >= takeOverAfterMs;
        if (resumed && (await model.updateOne({ _id, enabledAt }, { enabledAt: at })).modifiedCount) await enable(_id);
      }
    },
  };
}

/** A process may have delivered before it knew of a failure in another process, and then died. */
async function hasDelivered(connection: Connection, endpoint: EndpointDocument): Promise<boolean> {
  const { ownerId, environment, failingSince } = endpoint;
  const receiver = { $in: receiverNamesOf(ownerId, endpoint.receiver) };
  const [from, to] = [-rememberMs, rememberMs].map((ms) => new Date(failingSince.getTime() + ms)) as [Date, Date];
  const which = { ownerId, environment, receiver, state: 'delivered', createdAt: { $gte: from, $lte: to } } as const;
  const since = { attempts: { $elemMatch: { at: { $gte: failingSince } } } };
  return (await notificationModel(connection).exists({ ...which, ...since })) !== null;
}

/** True if the endpoint is neither disabled nor being enabled. */
function isTried({ disabledAt, enabledAt }: EndpointDocument): boolean {
  return !disabledAt && !enabledAt;
}
