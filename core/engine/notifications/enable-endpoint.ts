/** Sends to an endpoint again, with all that was kept for it. May be interrupted at any point: whoever repeats it ends it. */
import type { Connection, QueryFilter } from 'mongoose';
import { endpointModel, type EndpointDocument } from '../../database/collections/endpoint.ts';
import { notificationModel, type NotificationDocument } from '../../database/collections/notification.ts';
import { newRound } from './delivery-queue.ts';

/** In the record of an attempt that was not made. */
export const disabledError = 'the endpoint is disabled: nothing was sent';

/** Of one write. */
const page = 500;

type Kept = Pick<NotificationDocument, '_id' | 'createdAt' | 'receiver' | 'attempts'>;

/**
 * Sends to it again, at once all that became exhausted since it fails; gives how many those are, -1 where it does not fail.
 * `at`: now.
 */
export async function enableEndpoint(connection: Connection, _id: string, at: Date): Promise<number> {
  const model = endpointModel(connection);
  const ends = { $set: { enabledAt: at }, $unset: { disabledAt: '', tellAt: '' } } as const;
  const disabled = { _id, $or: [{ disabledAt: { $exists: true } }, { enabledAt: { $exists: true } }] };
  const endpoint = await model.findOneAndUpdate(disabled, ends).lean<EndpointDocument | null>();
  if (!endpoint) return (await model.deleteOne({ _id })).deletedCount === 0 ? -1 : 0;
  const count = await resendKept(connection, endpoint);
  // Somebody may have disabled it again meanwhile.
  await model.deleteOne({ _id, enabledAt: { $exists: true } });
  return count;
}

/** The oldest first; what becomes exhausted meanwhile is behind the page, and stays. */
async function resendKept(connection: Connection, endpoint: EndpointDocument): Promise<number> {
  const { ownerId, environment, receiver, failingSince } = endpoint;
  const model = notificationModel(connection);
  const exhausted: QueryFilter<NotificationDocument> = { ownerId, environment, state: 'exhausted' };
  let last: Kept | undefined;
  let count = 0;
  do {
    // Not narrowed any further: each look is at no more than a page of the index.
    const found: Kept[] = await model
      .find({ ...exhausted, ...(last && behind(last)) }, { createdAt: 1, receiver: 1 })
      .slice('attempts', -1)
      .sort({ createdAt: 1, _id: 1 })
      .limit(page)
      .lean<Kept[]>();
    const kept = found.filter((one) => one.receiver === receiver && isMissed(one, failingSince));
    if (kept.length > 0) {
      const which = { _id: { $in: kept.map(({ _id }) => _id) }, state: 'exhausted' } as const;
      count += (await model.updateMany(which, newRound, { updatePipeline: true })).modifiedCount;
    }
    last = found.length === page ? found.at(-1) : undefined;
  } while (last);
  return count;
}

/** Its latest attempt ended since then, or was not made. When the notification was made says nothing: it may have waited long. */
function isMissed({ attempts: [latest] }: Kept, since: Date): boolean {
  if (!latest) return false;
  return latest.error === disabledError || latest.at.getTime() + (latest.ms ?? 0) >= since.getTime();
}

function behind({ _id, createdAt }: Kept): QueryFilter<NotificationDocument> {
  return { createdAt: { $gte: createdAt }, $or: [{ createdAt: { $gt: createdAt } }, { _id: { $gt: _id } }] };
}
