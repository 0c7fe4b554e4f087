/**
 * The endpoints of merchants: an owner's addresses of one environment and origin. One at which every attempt fails for days is
 * disabled: nothing is sent to it, what waits is kept as exhausted, and is sent once it is enabled again.
 */
import type { Connection, QueryFilter } from 'mongoose';
import { endpointModel, type EndpointDocument } from '../documents/endpoint.ts';
import { notificationModel, type NotificationDocument } from '../documents/notification.ts';
import { openTransactions } from '../documents/transaction.ts';
import { newRound } from './delivery-queue.ts';

/** The event by which a merchant proves that its receiver works: it is sent to what is disabled, too. */
export const testType = 'webhook.test';

/** Of a notification, what names its endpoint. */
export type Target = Pick<NotificationDocument, 'ownerId' | 'environment' | 'url' | 'receiver' | 'type'>;

export interface Endpoint extends Omit<EndpointDocument, '_id' | 'disabledAt'> {
  /** Null: it is tried still. */
  readonly disabledAt: Date | null;
}

export interface Endpoints {
  /** True where nothing but test events is to be sent. What another process changed shows within 30 s. */
  isDisabled(target: Target): Promise<boolean>;
  /** What became of an attempt. Writes where that is news. */
  note(target: Target, result: 'delivered' | 'failed'): Promise<void>;
}

export interface EndpointsSetup {
  readonly connection: Connection;
  /** So long nothing but failures disable it. */
  readonly disableAfterMs: number;
  readonly now: () => Date;
  /** Once per endpoint, by the process that disabled it. */
  readonly onDisabled: (endpoint: Endpoint) => Promise<void>;
  /** Something became due. */
  readonly onEnabled: () => void;
}

const readEveryMs = 30_000;
/** Far more than fail at once; beyond, some are read late. */
const maxRead = 10_000;

export function createEndpoints(setup: EndpointsSetup): Endpoints {
  const { connection, disableAfterMs, now, onDisabled, onEnabled } = setup;
  const model = endpointModel(connection);
  /** Those that fail, as of the latest read and of what this process wrote since. */
  let failing = new Map<string, EndpointDocument>();
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const found = await model.find().limit(maxRead).lean<EndpointDocument[]>();
    failing = new Map(found.map((endpoint) => [endpoint._id, endpoint]));
    readAt = performance.now();
  }

  async function known(): Promise<void> {
    if (performance.now() - readAt < readEveryMs) return;
    reading ??= read().finally(() => (reading = undefined));
    await reading;
  }

  async function beginFailing(endpoint: EndpointDocument): Promise<void> {
    failing.set(endpoint._id, endpoint);
    const { _id, ...members } = endpoint;
    await model.updateOne({ _id }, { $setOnInsert: members }, { upsert: true });
  }

  async function disable(endpoint: EndpointDocument): Promise<void> {
    const { _id, ownerId, environment, receiver, failingSince } = endpoint;
    // Another process may have delivered, and not have known that this one had failed.
    const delivered = {
      ownerId,
      environment,
      receiver,
      state: 'delivered',
      createdAt: { $gte: failingSince },
    } as const;
    if (await notificationModel(connection).exists(delivered)) {
      await enableEndpoint(connection, _id);
      failing.delete(_id);
      return;
    }
    const disabledAt = now();
    const { modifiedCount } = await model.updateOne(
      { _id, failingSince, disabledAt: { $exists: false } },
      { disabledAt },
    );
    failing.set(_id, { ...endpoint, disabledAt });
    if (modifiedCount === 1) await onDisabled(present({ ...endpoint, disabledAt }));
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

    async note(target, result) {
      await known();
      const id = idOf(target);
      const endpoint = failing.get(id);
      if (result === 'delivered') {
        // Of a test event it matters at once, also where another process has disabled the endpoint just now.
        if (!endpoint && target.type !== testType) return;
        failing.delete(id);
        if ((await enableEndpoint(connection, id)) > 0) onEnabled();
      } else if (!endpoint) {
        await beginFailing(toEndpoint(target, now()));
      } else if (!endpoint.disabledAt && now().getTime() - endpoint.failingSince.getTime() >= disableAfterMs) {
        await disable(endpoint);
      }
    },
  };
}

/** The failing ones, of one owner or of all, the longest first. */
export async function listEndpoints(connection: Connection, ownerId?: number): Promise<readonly Endpoint[]> {
  const filter: QueryFilter<EndpointDocument> = ownerId === undefined ? {} : { ownerId };
  const found = await endpointModel(connection).find(filter).limit(maxRead).lean<EndpointDocument[]>();
  return found.map(present).toSorted((one, other) => one.failingSince.getTime() - other.failingSince.getTime());
}

/**
 * Sends to it again, at once all that became exhausted since it fails; gives how many those are, -1 where it does not fail.
 */
export async function enableEndpoint(connection: Connection, id: string): Promise<number> {
  const transactions = openTransactions(connection);
  let count = -1;
  try {
    await transactions.run(async (session) => {
      const endpoint = await endpointModel(connection)
        .findOneAndDelete({ _id: id }, { session })
        .lean<EndpointDocument>();
      if (!endpoint) return;
      const { ownerId, environment, receiver, failingSince } = endpoint;
      const missed = { ownerId, environment, state: 'exhausted', createdAt: { $gte: failingSince }, receiver } as const;
      const again = { session, updatePipeline: true } as const;
      count = endpoint.disabledAt
        ? (await notificationModel(connection).updateMany(missed, newRound, again)).modifiedCount
        : 0;
    });
  } finally {
    await transactions.end();
  }
  return count;
}

/** Nothing but test events is sent there any more. False: it was disabled before. */
export async function disableEndpoint(
  connection: Connection,
  { ownerId, environment, origin }: Pick<Endpoint, 'ownerId' | 'environment' | 'origin'>,
  at: Date,
): Promise<boolean> {
  const model = endpointModel(connection);
  const _id = endpointId(ownerId, environment, origin);
  const made = { ownerId, environment, origin, receiver: new URL(origin).host, failingSince: at };
  await model.updateOne({ _id }, { $setOnInsert: made }, { upsert: true });
  const disabled = await model.updateOne({ _id, disabledAt: { $exists: false } }, { disabledAt: at });
  return disabled.modifiedCount === 1;
}

export function endpointId(ownerId: number, environment: string, origin: string): string {
  return `${ownerId}:${environment}:${origin}`;
}

function idOf({ ownerId, environment, url }: Target): string {
  return endpointId(ownerId, environment, originOf(url));
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'unreadable';
}

function toEndpoint(target: Target, failingSince: Date): EndpointDocument {
  const { ownerId, environment, url, receiver } = target;
  return { _id: idOf(target), ownerId, environment, origin: originOf(url), receiver, failingSince };
}

function present({ _id, disabledAt, ...endpoint }: EndpointDocument): Endpoint {
  return { ...endpoint, disabledAt: disabledAt ?? null };
}
