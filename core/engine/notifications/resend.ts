/** Starts new rounds of attempts for an owner's notifications. */
import type { Model } from 'mongoose';
import { notFound } from '../../base/errors.ts';
import type { NotificationDocument, NotificationState } from '../../database/collections/notification.ts';
import { manyDocuments } from '../../database/connect.ts';
import { newRound } from './delivery-queue.ts';
import { presentRow, type NotificationView, type Scope } from './read.ts';

export interface OwnerResends {
  /** Starts a new round of attempts now, whatever the earlier rounds led to. Throws NF001 like `get`. */
  resend(scope: Scope & { readonly id: string }): Promise<NotificationView>;
  /**
   * The same for all notifications created from `from` to before `to`: the exhausted ones, unless another state is
   * named. Returns how many.
   */
  resendSpan(
    span: Scope & { readonly from: Date; readonly to: Date; readonly state?: NotificationState },
  ): Promise<number>;
}

export interface OwnerResendsDeps {
  readonly model: Model<NotificationDocument>;
  /** Called when something became due. */
  readonly onDue: () => void;
}

export function createOwnerResends({ model, onDue }: OwnerResendsDeps): OwnerResends {
  return {
    async resend({ ownerId, environment, id }) {
      const filter = { _id: id, ownerId, environment };
      const row = await model
        .findOneAndUpdate(filter, newRound, { updatePipeline: true, returnDocument: 'after' })
        .lean();
      if (!row) throw notFound('the notification');
      onDue();
      return presentRow(row);
    },

    async resendSpan({ ownerId, environment, from, to, state = 'exhausted' }) {
      const filter = { ownerId, environment, createdAt: { $gte: from, $lt: to }, state };
      const { modifiedCount } = await model.updateMany(filter, newRound, { ...manyDocuments, updatePipeline: true });
      if (modifiedCount) onDue();
      return modifiedCount;
    },
  };
}
