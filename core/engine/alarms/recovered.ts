/**
 * Decides whether the cause of an alarm is gone, for kinds whose cause is stored in a document. Such an alarm is
 * resolved as soon as the cause is gone, no matter who fixed it.
 */
import type { Connection } from 'mongoose';
import type { Alarm, AlarmKind } from '../../database/collections/alarm.ts';
import { endpointModel } from '../../database/collections/endpoint.ts';
import { inboxModel } from '../../database/collections/inbox-row.ts';
import { notificationModel } from '../../database/collections/notification.ts';
import { paymentRequestModel } from '../../database/collections/payment-request.ts';
import { partsOf } from './subjects.ts';

export const endingKinds = [
  'callback_dead_letter',
  'callback_unreadable',
  'endpoint_disabled',
  'notifications_exhausted',
  'payment_ends_workers',
] as const satisfies readonly AlarmKind[];

/** Checks, by the id of the subject, whether the cause still exists. */
type Lasts = (id: string) => Promise<boolean>;

export function createIsRecovered(
  connection: Connection,
): (alarm: Pick<Alarm, 'kind' | 'subject'>) => Promise<boolean> {
  const isThere = async (found: PromiseLike<unknown>): Promise<boolean> => (await found) !== null;
  const lasts: Readonly<Record<(typeof endingKinds)[number], Lasts>> = {
    callback_dead_letter: async (_id) => isThere(inboxModel(connection).exists({ _id, state: 'dead_letter' })),
    callback_unreadable: async (adapter) => isThere(inboxModel(connection).exists({ state: 'malformed', adapter })),
    endpoint_disabled: async (id) => {
      const { name, environment, about: origin } = partsOf({ id });
      const isDisabled = { ownerId: Number(name), environment, disabledAt: { $exists: true } };
      return isThere(endpointModel(connection).exists({ ...isDisabled, ...(origin !== undefined && { origin }) }));
    },
    notifications_exhausted: async (id) => {
      const { name, environment } = partsOf({ id });
      return isThere(notificationModel(connection).exists({ ownerId: Number(name), environment, state: 'exhausted' }));
    },
    payment_ends_workers: async (id) =>
      isThere(paymentRequestModel(connection).exists({ _id: Number(id), 'lease.expiries': { $gt: 0 } })),
  };
  return async ({ kind, subject }) => {
    const ending = endingKinds.find((one) => one === kind);
    return ending !== undefined && !(await lasts[ending](subject.id));
  };
}
