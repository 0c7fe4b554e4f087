/**
 * Reports that an endpoint of a merchant is disabled: to the operator by an alarm, and to the merchant by mail and,
 * if its default address is another endpoint, by a notification to that.
 */
import type { Owners } from '../access/index.ts';
import { ownerSubject, type Raise } from '../alarms/index.ts';
import type { Mailer } from '../../base/net/mail.ts';
import { apiVersion } from './body.ts';
import type { DisabledEndpoint } from './endpoint.ts';
import type { NewNotification } from './new-notification.ts';

export interface EndpointNoticeDeps {
  readonly owners: Pick<Owners, 'get'>;
  readonly insert: (entries: readonly NewNotification[]) => Promise<number>;
  /** Undefined: no mail server is configured. */
  readonly mailer: Mailer | undefined;
  readonly raise: Raise;
}

const type = 'endpoint.disabled';

/** Rejects if the merchant could not be notified. It may be repeated: there is one notification, and one alarm. */
export function createEndpointNotice({ owners, insert, mailer, raise }: EndpointNoticeDeps) {
  return async ({ ownerId, environment, origin, failingSince, disabledAt }: DisabledEndpoint): Promise<void> => {
    raise('endpoint_disabled', ownerSubject(ownerId, environment, origin), `${origin}, ${environment} events`);
    const owner = await owners.get(ownerId);
    if (!owner) return;
    const url = owner.notifyUrls[environment];
    if (url !== null && new URL(url).origin !== origin) {
      const createdAt = disabledAt;
      const id = `${ownerId}-endpoint-${createdAt.getTime()}`;
      const data = { endpoint: { origin, failingSince } };
      const body = JSON.stringify({ id, type, mode: environment, apiVersion, createdAt, sequence: 1, data });
      const about = { ownerId, environment, paymentRequestId: null, sequence: null } as const;
      await insert([{ id, ...about, type, url, body, createdAt, requestId: id }]);
    }
    if (owner.email === null) return;
    await mailer?.send({
      to: owner.email,
      subject: `Notifications to ${new URL(origin).host} are disabled`,
      text: [
        `Every notification to ${origin} (${environment} events of ${owner.name}) has failed since ${failingSince.toISOString()}.`,
        'No more notifications are sent there. They are kept, and are sent once the address works and is enabled again.',
        '',
      ].join('\n'),
    });
  };
}
