/** Which payment an event of the inbox is about, and what is to be applied to it. */
import type { Connection } from 'mongoose';
import type { InboxEvent, InboxRow } from '../documents/inbox-row.ts';
import { paymentRequestModel } from '../documents/payment-request.ts';
import { callbackPlace, postedPlace } from '../documents/places.ts';
import type { Encrypter } from '../encryption.ts';
import type { ThreeDsOptions } from '../payments/submit/three-ds-token.ts';
import type { AppliedEvent, WaitingEvent } from './apply-events.ts';
import { fromBytes } from './raw-bytes.ts';
import { readThreeDs, threeDsRoute } from './read-three-ds.ts';

export interface ResolvedEvent {
  readonly paymentRequestId: number;
  readonly waiting: WaitingEvent;
}

export interface ResolveDeps {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly threeDs: ThreeDsOptions;
}

/** Gives what to apply to which payment, or at once the result where there is nothing to apply, or not yet. */
export function createResolve({ connection, encrypter, threeDs }: ResolveDeps) {
  const payments = paymentRequestModel(connection);

  /** Null: we know no payment of that reference yet. */
  async function paymentOf({ event, paymentRequestId }: InboxEvent, adapter: string): Promise<number | null> {
    if (paymentRequestId !== null || event.providerReference === null) return paymentRequestId;
    const found = await payments
      .findOne(
        {
          'attempts.providerReference': { $type: 'string', $eq: event.providerReference },
          attempts: { $elemMatch: { adapter, providerReference: event.providerReference } },
        },
        { _id: 1 },
      )
      .lean();
    return found?._id ?? null;
  }

  function waitingEvent(row: InboxRow, { event }: InboxEvent): WaitingEvent {
    if (row.adapter !== threeDsRoute) return { adapter: row.adapter, event, receivedAt: row.receivedAt };
    const read = readThreeDs(fromBytes(encrypter.decrypt(row.encrypted, callbackPlace(row._id))), threeDs);
    // It was genuine when it came; without its secret nobody can complete it any more, and reconciliation fetches the status.
    if (read.verdict !== 'genuine') return { adapter: row.adapter, event, receivedAt: row.receivedAt };
    const { nonce, posted, reference } = read.result;
    const encrypted = encrypter.encrypt(JSON.stringify(posted), postedPlace({ reference }, nonce));
    return { adapter: row.adapter, event, receivedAt: row.receivedAt, posted: { nonce, encrypted } };
  }

  return async (row: InboxRow, one: InboxEvent): Promise<ResolvedEvent | AppliedEvent> => {
    if (one.event.kind === 'token') return { state: 'nothing', note: 'the life of a token changes no payment' };
    const paymentRequestId = await paymentOf(one, row.adapter);
    if (paymentRequestId === null) return { state: 'retry', note: 'we know no such reference yet' };
    return { paymentRequestId, waiting: waitingEvent(row, one) };
  };
}
