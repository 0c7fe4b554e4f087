/**
 * The endpoints of merchants: an owner's addresses of one environment and origin. One at which every attempt fails for days is
 * disabled: nothing is sent to it, what waits is kept as exhausted, and is sent once it is enabled again.
 */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { endpointModel, type EndpointDocument } from '../../database/collections/endpoint.ts';
import { notificationModel, type NotificationDocument } from '../../database/collections/notification.ts';
import { DAY, MINUTE } from '../../base/async/time.ts';
import { enableEndpoint } from './enable-endpoint.ts';
import { idOf, present, testType, toEndpoint, type DisabledEndpoint, type Target } from './endpoint.ts';

export interface Endpoints {
  /** True where nothing but test events is to be sent. What another process changed shows within 30 s. */
  isDisabled(target: Target): Promise<boolean>;
  /** What became of an attempt that began at this time. Writes where that is news. */
  note(target: Attempted, result: 'delivered' | 'failed', at: Date): Promise<void>;
  /** Learns what other processes wrote, where that is due, and ends what one that died had begun. */
  refresh(): Promise<void>;
}

/** The row that was sent. */
type Attempted = Target & Pick<NotificationDocument, 'tries' | 'round'>;

export interface EndpointsSetup {
  readonly connection: Connection;
  /** So long nothing but failures disable it. */
  readonly disableAfterMs: number;
  readonly now: () => Date;
  /** Tells that it is disabled. Repeated, later and by any process, where it rejects or its process dies. */
  readonly onDisabled: (endpoint: DisabledEndpoint) => Promise<void>;
  /** Something became due. */
  readonly onEnabled: () => void;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

const readEveryMs = 30_000;
/** Far more than fail at once; beyond, some are read late. */
const maxRead = 10_000;
/** So long after a delivery a failure that began before it may still be written, or be read. */
const rememberMs = 5 * MINUTE;
/** Who disabled an endpoint has so long to tell, and who enables it to go through what was kept; then another does. */
const takeOverAfterMs = MINUTE;
const tellEveryMs = 10 * MINUTE;
/** Then nobody tries any more: the list of endpoints shows it. */
const tellForMs = DAY;

export function createEndpoints(setup: EndpointsSetup): Endpoints {
  const { connection, disableAfterMs, now, onDisabled, onEnabled, log } = setup;
  const model = endpointModel(connection);
  /** Those that fail, as of the latest read and of what this process wrote since. */
  let failing = new Map<string, EndpointDocument>();
  /** When the latest attempt that was delivered began, of each endpoint. */
  const delivered = new Map<string, Date>();
  /** Those that this process forgot since the latest read. */
  const forgotten = new Set<string>();
  const latest = { read: -Infinity, sweep: -Infinity };
  let reading: Promise<void> | undefined;
  const isRecent = (time: number): boolean => Math.abs(now().getTime() - time) < readEveryMs;

  async function read(): Promise<void> {
    const found = await model.find().limit(maxRead).lean<EndpointDocument[]>();
    failing = new Map(found.map((endpoint) => [endpoint._id, endpoint]));
    latest.read = now().getTime();
    forgotten.clear();
    // Their failing was written by another process, and this one did not know of it as it delivered.
    for (const endpoint of found) {
      const at = delivered.get(endpoint._id);
      if (at && isTried(endpoint) && endpoint.failingSince <= at) await forget(endpoint._id, at);
    }
    const oldest = now().getTime() - rememberMs;
    for (const [id, at] of delivered) if (at.getTime() < oldest) delivered.delete(id);
  }

  async function known(): Promise<void> {
    if (isRecent(latest.read)) return;
    reading ??= read().finally(() => (reading = undefined));
    await reading;
  }

  async function beginFailing(endpoint: EndpointDocument): Promise<void> {
    failing.set(endpoint._id, endpoint);
    const { _id, ...members } = endpoint;
    await model.updateOne({ _id }, { $setOnInsert: members }, { upsert: true });
  }

  /** An attempt that began then was delivered. What is disabled stays so: a test event enables it, or somebody does. */
  async function forget(id: string, at: Date): Promise<void> {
    failing.delete(id);
    forgotten.add(id);
    const tried = { disabledAt: { $exists: false }, enabledAt: { $exists: false } };
    await model.deleteOne({ _id: id, failingSince: { $lte: at }, ...tried });
  }

  /** A process may have delivered before it knew that another had failed, and have died. */
  async function hasDelivered({ ownerId, environment, receiver, failingSince }: EndpointDocument): Promise<boolean> {
    const [from, to] = [-rememberMs, rememberMs].map((ms) => new Date(failingSince.getTime() + ms)) as [Date, Date];
    const which = {
      ownerId,
      environment,
      receiver,
      state: 'delivered',
      createdAt: { $gte: from, $lte: to },
    } as const;
    const since = { attempts: { $elemMatch: { at: { $gte: failingSince } } } };
    return (await notificationModel(connection).exists({ ...which, ...since })) !== null;
  }

  async function disable(endpoint: EndpointDocument): Promise<void> {
    const { _id, failingSince } = endpoint;
    const disabledAt = now();
    const change = { disabledAt, tellAt: new Date(disabledAt.getTime() + takeOverAfterMs) };
    const { modifiedCount } = await model.updateOne({ _id, failingSince, disabledAt: { $exists: false } }, change);
    // Otherwise it was delivered to elsewhere, or is disabled already.
    if (modifiedCount === 0) latest.read = -Infinity;
    else {
      failing.set(_id, { ...endpoint, ...change });
      await tell({ ...endpoint, disabledAt });
    }
  }

  async function tell(endpoint: EndpointDocument & { readonly disabledAt: Date }): Promise<void> {
    const { _id, disabledAt } = endpoint;
    try {
      await onDisabled({ ...present(endpoint), disabledAt });
      await model.updateOne({ _id, disabledAt }, { $unset: { tellAt: '' } });
    } catch (error) {
      log.warn({ endpoint: _id, err: error }, 'nobody could be told that an endpoint is disabled: it is tried again');
    }
  }

  async function tellAgain(_id: string, tellAt: Date): Promise<void> {
    const at = now();
    const next = { tellAt: new Date(at.getTime() + tellEveryMs) };
    const endpoint = await model.findOneAndUpdate({ _id, tellAt }, next).lean<EndpointDocument | null>();
    if (!endpoint?.disabledAt) return;
    const { disabledAt } = endpoint;
    if (at.getTime() - disabledAt.getTime() < tellForMs) return tell({ ...endpoint, disabledAt });
    await model.updateOne({ _id, disabledAt }, { $unset: { tellAt: '' } });
    log.error({ endpoint: _id }, 'nobody was told that an endpoint is disabled');
  }

  async function enable(id: string): Promise<void> {
    failing.delete(id);
    if ((await enableEndpoint(connection, id, now())) > 0) onEnabled();
  }

  return {
    async isDisabled(target) {
      if (target.type === testType) return false;
      await known();
      const id = idOf(target);
      if (!failing.get(id)?.disabledAt) return false;
      // Somebody may have enabled it within the last seconds, and what is exhausted stays so.
      const current = await model.findById(id).lean<EndpointDocument | null>();
      if (!current?.disabledAt) failing.delete(id);
      return current?.disabledAt !== undefined;
    },

    async note(target, result, at) {
      await known();
      const id = idOf(target);
      const endpoint = failing.get(id);
      const deliveredAt = delivered.get(id);
      if (result === 'delivered') {
        if (!deliveredAt || deliveredAt < at) delivered.set(id, at);
        // It matters at once, also where another process has disabled the endpoint just now.
        if (target.type === testType) return enable(id);
        // Of what is sent again the failing may be known to another process alone.
        const failedBefore = (target.tries > 0 || target.round > 1) && !forgotten.has(id);
        if (endpoint ? isTried(endpoint) : failedBefore) await forget(id, at);
      } else if (!endpoint) {
        if (!deliveredAt || deliveredAt <= at) await beginFailing(toEndpoint(target, at));
      } else if (isTried(endpoint) && now().getTime() - endpoint.failingSince.getTime() >= disableAfterMs) {
        if (!(await hasDelivered(endpoint))) return disable(endpoint);
        await forget(id, at);
        await beginFailing(toEndpoint(target, at));
      }
    },

    async refresh() {
      if (isRecent(latest.sweep)) return;
      latest.sweep = now().getTime();
      await known();
      const at = now();
      for (const endpoint of failing.values()) {
        const { _id, tellAt, enabledAt } = endpoint;
        if (tellAt && tellAt <= at) await tellAgain(_id, tellAt);
        // One of all: for the others it has only just begun.
        const resumed = enabledAt && at.getTime() - enabledAt.getTime() >= takeOverAfterMs;
        if (resumed && (await model.updateOne({ _id, enabledAt }, { enabledAt: at })).modifiedCount) await enable(_id);
      }
    },
  };
}

/** Neither is it disabled, nor is it about to start anew. */
function isTried({ disabledAt, enabledAt }: EndpointDocument): boolean {
  return !disabledAt && !enabledAt;
}
