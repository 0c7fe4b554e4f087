/** Notifies an owner, at most once a day, that it still uses an API version whose support has ended. */
import type { Authenticated, Owner, Owners } from '../access/index.ts';
import type { Mailer } from '../../base/net/mail.ts';
import { apiVersion } from './body.ts';
import type { Notifications } from './notifications.ts';

export interface VersionNoticeDeps {
  readonly owners: Owners;
  readonly notifications: Pick<Notifications, 'insert'>;
  /** Undefined: no mail server is configured. */
  readonly mailer: Mailer | undefined;
  readonly now: () => Date;
}

/** The data of the notification. */
export interface VersionNotice {
  readonly version: string;
  /** A day, `2024-06-30`. */
  readonly supportEnded: string;
  readonly successor: string;
  readonly documentation: string;
}

const type = 'api.version.deprecated';

export function createVersionNotice({ owners, notifications, mailer, now }: VersionNoticeDeps) {
  /** The notice has the environment of the key that named the version, so that the owner finds it with that key. */
  return async (
    { ownerId, environment }: Pick<Authenticated, 'ownerId' | 'environment'>,
    data: VersionNotice,
  ): Promise<void> => {
    const owner = await owners.deprecationNotice(ownerId);
    if (!owner) return;
    const createdAt = now();
    const url = owner.notifyUrls[environment];
    if (url !== null) {
      const id = `${ownerId}-version-${createdAt.toISOString().slice(0, 10)}`;
      const body = JSON.stringify({ id, type, mode: environment, apiVersion, createdAt, sequence: 1, data });
      const about = { ownerId, environment, paymentRequestId: null, sequence: null } as const;
      await notifications.insert([{ id, ...about, type, url, body, createdAt, requestId: id }]);
    }
    await mail(owner, data);
  };

  async function mail({ name, email }: Owner, data: VersionNotice): Promise<void> {
    if (email === null) return;
    const text = `${name} still calls API version ${data.version}, whose support ended on ${data.supportEnded}.`;
    await mailer?.send({
      to: email,
      subject: 'Your API version is past its support',
      text: `${text}\n${data.documentation}\n`,
    });
  }
}
