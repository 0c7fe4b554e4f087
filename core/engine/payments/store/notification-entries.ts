/** How the notifications of a change are made: where they go, which types the merchant wants, and their body. */
import { streamOnly } from '../../notifications/index.ts';
import { renderBody } from '../../notifications/body.ts';
import type { Owner, Owners } from '../../access/index.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Environment } from '../../../base/environment.ts';
import { presentCause } from '../present/present-cause.ts';
import type { PresentNext, Views } from '../present/view.ts';
import type { NextRecordDeps } from './next-record.ts';

export interface NotificationEntriesDeps {
  readonly owners: Pick<Owners, 'get'>;
  readonly views: Pick<Views, 'present'>;
  readonly now: () => Date;
}

export interface NotificationEntries extends Pick<NextRecordDeps, 'renderBody' | 'wantedTypes'> {
  /** The address to which the notifications of a payment go; null: there is no receiver. */
  readonly urlOf: (record: PaymentRecord) => Promise<string | null>;
  /** Renders bodies with another presenter, for payments that change together. */
  readonly renderBodyBy: (present: PresentNext) => NextRecordDeps['renderBody'];
}

export function createNotificationEntries({ owners, views, now }: NotificationEntriesDeps): NotificationEntries {
  async function urlOf({ notifyUrl, ownerId, environment }: PaymentRecord): Promise<string | null> {
    return notifyUrl ?? addressOf(await owners.get(ownerId), environment, now());
  }

  function renderBodyBy(present: PresentNext): NextRecordDeps['renderBody'] {
    return async (record, notice, sequence, at, before) =>
      renderBody(
        await present(record, before),
        notice.type,
        sequence,
        at,
        record.environment,
        presentCause(notice, record, before),
      );
  }

  return {
    urlOf,
    renderBodyBy,
    renderBody: renderBodyBy(async (record, before) => views.present(record, before)),
    async wantedTypes(record, types) {
      if ((await urlOf(record)) === null) return [];
      const chosen = (await owners.get(record.ownerId))?.notificationTypes;
      return chosen ? types.filter((type) => chosen.includes(type)) : types;
    },
  };
}

/** The owner's address; in test mode, an owner without one may listen to the event stream instead. */
function addressOf(owner: Owner | undefined, environment: Environment, now: Date): string | null {
  const url = owner?.notifyUrls[environment] ?? null;
  const isListening = environment === 'test' && (owner?.listeningUntil ?? now) > now;
  return url ?? (isListening ? streamOnly : null);
}
