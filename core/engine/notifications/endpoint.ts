/** One endpoint of a merchant: its name, the list of those that fail, and how it is disabled. */
import type { Connection, QueryFilter } from 'mongoose';
import { endpointModel, type EndpointDocument } from '../../database/collections/endpoint.ts';
import { hostOf, type NotificationDocument } from '../../database/collections/notification.ts';

/** The event by which a merchant proves that its receiver works. It is sent to disabled endpoints too. */
export const testType = 'webhook.test';

/** The members of a notification that name its endpoint. */
export type Target = Pick<NotificationDocument, 'ownerId' | 'environment' | 'url' | 'receiver' | 'type'>;

/** Members for internal use only. */
type Inner = '_id' | 'disabledAt' | 'tellAt' | 'enabledAt';

export interface Endpoint extends Omit<EndpointDocument, Inner> {
  /** Null: notifications are still sent to it. */
  readonly disabledAt: Date | null;
}

export type DisabledEndpoint = Endpoint & { readonly disabledAt: Date };

/** The most endpoints of a list: far more than fail at the same time. */
const maxListed = 10_000;

/** The endpoints that fail, of one owner or of all. Those that fail longest come first. */
export async function listEndpoints(connection: Connection, ownerId?: number): Promise<readonly Endpoint[]> {
  const filter: QueryFilter<EndpointDocument> = ownerId === undefined ? {} : { ownerId };
  const found = await endpointModel(connection).find(filter).limit(maxListed).lean<EndpointDocument[]>();
  return found.map(present).toSorted((one, other) => one.failingSince.getTime() - other.failingSince.getTime());
}

/** Disables an endpoint: only test events are sent to it. False: it was disabled before. */
export async function disableEndpoint(
  connection: Connection,
  { ownerId, environment, origin }: Pick<Endpoint, 'ownerId' | 'environment' | 'origin'>,
  at: Date,
): Promise<boolean> {
  const model = endpointModel(connection);
  const _id = endpointId(ownerId, environment, origin);
  const made = { ownerId, environment, origin, receiver: new URL(origin).host, failingSince: at };
  await model.updateOne({ _id }, { $setOnInsert: made }, { upsert: true });
  const change = { $set: { disabledAt: at }, $unset: { enabledAt: '' } };
  const disabled = await model.updateOne({ _id, disabledAt: { $exists: false } }, change);
  return disabled.modifiedCount === 1;
}

export function endpointId(ownerId: number, environment: string, origin: string): string {
  return `${ownerId}:${environment}:${origin}`;
}

export function idOf({ ownerId, environment, url }: Target): string {
  return endpointId(ownerId, environment, originOf(url));
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'unreadable';
}

export function toEndpoint(target: Target, failingSince: Date): EndpointDocument {
  const { ownerId, environment, url, receiver } = target;
  return { _id: idOf(target), ownerId, environment, origin: originOf(url), receiver: hostOf(receiver), failingSince };
}

export function present({
  _id,
  disabledAt,
  tellAt: _tellAt,
  enabledAt: _enabledAt,
  ...endpoint
}: EndpointDocument): Endpoint {
  return { ...endpoint, disabledAt: disabledAt ?? null };
}
