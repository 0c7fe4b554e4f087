/** Tells an owner, at most once a day, that a version it still names is past its support. */
import type { Owner, Owners } from '../access/index.ts';
import type { Environment } from '../payments/service.ts';
import type { NewNotification } from './notifications.ts';

export interface VersionNoticeDeps {
  readonly owners: Owners;
  readonly insert: (notifications: readonly NewNotification[]) => Promise<void>;
  readonly mail: (owner: Owner, data: Readonly<Record<string, string>>) => Promise<void>;
  readonly apiVersion: string;
  readonly now: () => Date;
}

const type = 'api.version.deprecated';

export function createVersionNotice({ owners, insert, mail, apiVersion, now }: VersionNoticeDeps) {
  /** `environment`: of the key that named the version, so that it finds the notice again. */
  return async (ownerId: number, environment: Environment, data: Readonly<Record<string, string>>): Promise<void> => {
    const owner = await owners.deprecationNotice(ownerId);
    if (!owner) return;
    const createdAt = now();
    if (owner.notifyUrl !== null) {
      const id = `${ownerId}-version-${createdAt.toISOString().slice(0, 10)}`;
      const body = JSON.stringify({ id, type, apiVersion, createdAt, sequence: 1, data });
      const about = { ownerId, environment, paymentRequestId: null, sequence: null } as const;
      await insert([{ id, ...about, type, url: owner.notifyUrl, body, createdAt, requestId: id }]);
    }
    if (owner.email !== null) await mail(owner, data);
  };
}
