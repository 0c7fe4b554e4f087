/** How payments are stored and changed: one by one (`store`), or as a batch of callback events (`applyEvents`). */
import type { Connection } from 'mongoose';
import type { Owners } from '../../access/index.ts';
import type { Notifications } from '../../notifications/index.ts';
import type { Metrics } from '../../../base/metrics/index.ts';
import type { Clients } from '../clients/clients.ts';
import type { Views } from '../present/view.ts';
import type { FeeOf } from '../state/fee.ts';
import { createAfterChange, type AfterChangeDeps } from './after-change.ts';
import { createApplyEvents, type ApplyEvents } from './apply-event-batch.ts';
import { createChangeMany, createContextOf } from './change-many.ts';
import type { NextRecordDeps } from './next-record.ts';
import { createNotificationEntries } from './notification-entries.ts';
import { createRelay, type Relay } from './outbox.ts';
import { createPaymentStore, type PaymentStore, type StoreDeps } from './payment-store.ts';

export interface StorageDeps extends Omit<AfterChangeDeps, 'outbox'> {
  readonly connection: Connection;
  readonly owners: Pick<Owners, 'get'>;
  readonly notifications: Pick<Notifications, 'insert' | 'insertWith'>;
  readonly clients: Clients;
  readonly views: Views;
  readonly feeOf: FeeOf;
  readonly nextCheckAt: NextRecordDeps['nextCheckAt'];
  readonly metrics: Metrics;
}

export interface Storage {
  readonly store: PaymentStore;
  readonly outbox: Relay;
  readonly applyEvents: ApplyEvents;
}

export function createStorage(deps: StorageDeps): Storage {
  const { connection, notifications, clients, views, feeOf, nextCheckAt, now, metrics } = deps;
  const { urlOf, renderBody, renderBodyBy, wantedTypes } = createNotificationEntries(deps);
  const outbox = createRelay({
    connection,
    urlOf,
    now,
    insert: async (entries) => {
      await notifications.insert(entries);
    },
  });
  const storeDeps: StoreDeps = {
    connection,
    renderBody,
    wantedTypes,
    firstTimeType: async (record) => (await clients.firstTimeTypes([record]))[0]!,
    nextCheckAt,
    onStored: createAfterChange({ ...deps, outbox }),
    now,
  };
  const changeMany = createChangeMany({
    ...storeDeps,
    readWithClient: async (id) => clients.withPayment(id),
    contextOf: createContextOf({ clients, views, renderBodyBy }),
    urlOf,
    insertNotifications: notifications.insertWith,
  });
  return {
    store: createPaymentStore(storeDeps, metrics),
    outbox,
    applyEvents: createApplyEvents({ changeMany, feeOf, now }),
  };
}
