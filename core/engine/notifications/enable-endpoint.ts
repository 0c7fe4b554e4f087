/** Enables an endpoint again, and resends what was kept for it. It may be interrupted at any point and repeated. */
import type { Connection, QueryFilter } from 'mongoose';
import { endpointModel, type EndpointDocument } from '../../database/collections/endpoint.ts';
import {
  notificationModel,
  receiverNamesOf,
  type NotificationDocument,
} from '../../database/collections/notification.ts';
import { newRound } from './delivery-queue.ts';

/** The error in the record of an attempt that was not made. Stored and compared: do not change it. */
export const disabledError = 'the endpoint is disabled: nothing was sent';

/** The most rows of one write. */
const page = 500;

type Kept = Pick<NotificationDocument, '_id' | 'createdAt' | 'receiver' | 'attempts'>;

/**
 * Enables the endpoint, and makes due immediately all notifications that became exhausted since it began to fail.
 * Returns how many those are, or -1 if the endpoint does not fail. `at`: now.
 */
export async function enableEndpoint(connection: Connection, _id: string, at: Date): Promise<number> {
  const model = endpointModel(connection);
  const ends = { $set: { enabledAt: at }, $unset: { disabledAt: '', tellAt: '' } } as const;
  const disabled = { _id, $or: [{ disabledAt: { $exists: true } }, { enabledAt: { $exists: true } }] };
  const endpoint = await model.findOneAndUpdate(disabled, ends).lean<EndpointDocument | null>();
  if (!endpoint) return (await model.deleteOne({ _id })).deletedCount === 0 ? -1 : 0;
  const count = await resendKept(connection, endpoint);
  // The endpoint may have been disabled again during the resend.
  await model.deleteOne({ _id, enabledAt: { $exists: true } });
  return count;
}

/** Goes from the oldest to the newest. Rows that become exhausted during this come later, and stay exhausted. */
async function resendKept(connection: Connection, endpoint: EndpointDocument): Promise<number> {
  const { ownerId, environment, failingSince } = endpoint;
  const receivers = receiverNamesOf(ownerId, endpoint.receiver);
  const model = notificationModel(connection);
  const exhausted: QueryFilter<NotificationDocument> = { ownerId, environment, state: 'exhausted' };
  let last: Kept | undefined;
  let count = 0;
  do {
    // The filter is not narrower, so that each query reads at most one page of the index.
    const found: Kept[] = await model
      .find({ ...exhausted, ...(last && behind(last)) }, { createdAt: 1, receiver: 1 })
      .slice('attempts', -1)
      .sort({ createdAt: 1, _id: 1 })
      .limit(page)
      .lean<Kept[]>();
    const kept = found.filter((one) => receivers.includes(one.receiver) && isMissed(one, failingSince));
    if (kept.length > 0) {
      const which = { _id: { $in: kept.map(({ _id }) => _id) }, state: 'exhausted' } as const;
      count += (await model.updateMany(which, newRound, { updatePipeline: true })).modifiedCount;
    }
    last = found.length === page ? found.at(-1) : undefined;
  } while (last);
  return count;
}

/**
 * True if the latest attempt ended since then, or was not made. The time when the notification was created says
 * nothing, because it may have waited long.
 */
function isMissed({ attempts: [latest] }: Kept, since: Date): boolean {
  if (!latest) return false;
  return latest.error === disabledError || latest.at.getTime() + (latest.ms ?? 0) >= since.getTime();
}

function behind({ _id, createdAt }: Kept): QueryFilter<NotificationDocument> {
  return { createdAt: { $gte: createdAt }, $or: [{ createdAt: { $gt: createdAt } }, { _id: { $gt: _id } }] };
}
