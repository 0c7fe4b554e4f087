/** What workers do, each piece until its signal or until nothing is due. */
import { mongo, type Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Config } from '../../config/schema.ts';
import type { Inbox } from '../callbacks/drain-inbox.ts';
import { exchangeModel } from '../documents/exchange.ts';
import { notificationModel } from '../documents/notification.ts';
import { paymentRequestModel } from '../documents/payment-request.ts';
import type { GatewayWork } from '../gateway.ts';
import type { Notifications } from '../notifications/index.ts';
import { foldFacts, type Asker } from '../payments/ask.ts';
import type { FeeOf } from '../payments/state/decide.ts';
import type { PaymentStore } from '../payments/store/payment-store.ts';
import type { Relay } from '../payments/store/outbox.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Whoever settled relays at once; what is older than this was left by a crash. */
const RELAY_AFTER_MS = 3000;
const SWEEP_LIMIT = 100;

export interface WorkDeps {
  readonly connection: Connection;
  readonly config: Pick<Config, 'payments' | 'callbacks'>;
  readonly worker: string;
  readonly store: PaymentStore;
  readonly inbox: Inbox;
  readonly asker: Asker;
  readonly relay: Relay;
  readonly notifications: Notifications;
  readonly feeOf: FeeOf;
  readonly now: () => Date;
  readonly log: Logger;
}

export function createWork(deps: WorkDeps): GatewayWork {
  const { connection, config, worker, store, inbox, asker, relay, notifications, feeOf, now, log } = deps;
  return {
    async drainCallbacks(signal) {
      let done = 0;
      let more = true;
      while (more && !signal.aborted) {
        const drained = await inbox.drain();
        done += drained.done;
        more = drained.more;
      }
      return { done, more, nextDueAt: await inbox.nextDueAt() };
    },
    async askProviders(signal) {
      const done = await asker.askDue(worker, SWEEP_LIMIT, () => signal.aborted);
      return { done, more: done === SWEEP_LIMIT, nextDueAt: await asker.nextDueAt() };
    },
    async deliverNotifications(signal) {
      const result = await notifications.deliverDue({ worker, signal });
      return { done: result.delivered + result.failed, more: false, nextDueAt: result.nextDueAt ?? undefined };
    },
    async relayOutbox() {
      const done = await relay.sweep(new Date(now().getTime() - RELAY_AFTER_MS), SWEEP_LIMIT);
      return { done, more: done === SWEEP_LIMIT };
    },
    async expirePayments(signal) {
      const before = new Date(now().getTime() - config.payments.expireCreatedAfterHours * HOUR_MS);
      const found = await paymentRequestModel(connection)
        .find({ statusId: 0, createdAt: { $lt: before } }, { _id: 1 })
        .limit(SWEEP_LIMIT)
        .lean();
      let done = 0;
      for (const { _id } of found) {
        if (signal.aborted) break;
        try {
          await store.change(_id, `expire-${_id}`, (record) =>
            foldFacts(record, [{ type: 'lapse', at: now() }], feeOf),
          );
          done += 1;
        } catch (error) {
          // One payment that cannot be changed must not keep the others open.
          log.error({ err: error, paymentRequestId: _id }, 'a payment request could not be expired');
        }
      }
      return { done, more: done > 0 && found.length === SWEEP_LIMIT };
    },
    async retain() {
      const before = new Date(now().getTime() - config.callbacks.keepDays * DAY_MS);
      const ended = { createdAt: { $lt: before }, state: { $in: ['delivered', 'gone'] as const } };
      const gone = await notificationModel(connection).deleteMany(ended);
      // Their ids begin with their time.
      const first = mongo.ObjectId.createFromTime(Math.floor(before.getTime() / 1000));
      const old = await exchangeModel(connection).deleteMany({ _id: { $lt: first } });
      return { done: gone.deletedCount + old.deletedCount, more: false };
    },
    async releaseWorker(name) {
      await Promise.all([inbox.releaseWorker(name), asker.releaseWorker(name), notifications.releaseWorker(name)]);
    },
  };
}
