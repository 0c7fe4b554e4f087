/**
 * Finds to which mode and accounts the payments of callbacks belong. Many callbacks are answered at the same time, so
 * their reads are one query.
 */
import type { RawCallback } from '@paywright/contract';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { withTimeLimit } from '../../base/async/time-limit.ts';
import type { Environment } from '../../base/environment.ts';
import { createBatcher, type Batcher } from '../../database/batcher.ts';
import { paymentRequestModel, type PaymentRecord } from '../../database/collections/payment-request.ts';
import { mainAccount } from '../providers/account-ref.ts';
import type { MappedEvent } from '../providers/mapped-event.ts';
import { paymentRequestIdOf } from './inbox.ts';
import { referenceIn } from './refusal-groups.ts';

/** What proved a callback. Only what is certain is present. */
export interface ProvenSide {
  readonly adapter: string;
  readonly mode?: Environment | undefined;
  /** The accounts whose secret fits. Present if the adapter has several accounts. */
  readonly accounts?: readonly string[] | undefined;
}

/** Both are only asked for the answer to a callback, so a slow database is the same as no knowledge. */
export interface OwnershipReader {
  /**
   * True if each event names a payment of the other mode, or of an account of the adapter that does not prove it. False
   * also if the database does not say so in time.
   */
  isOfOther(events: readonly MappedEvent[], proven: ProvenSide): Promise<boolean>;
  /**
   * The account of the attempt that an unproven callback names by our reference. Undefined: there is no such attempt at
   * the adapter, or the database does not say so in time.
   */
  accountNamedIn(raw: RawCallback, adapter: string): Promise<string | undefined>;
}

type Attempt = PaymentRecord['attempts'][number];

interface Ownership extends Pick<PaymentRecord, 'environment'> {
  readonly attempts: readonly Pick<Attempt, 'adapter' | 'reference' | 'account'>[];
}

const projection = { environment: 1, 'attempts.adapter': 1, 'attempts.reference': 1, 'attempts.account': 1 };
const LIMIT_MS = 1000;

export function createOwnershipReader({
  connection,
  log,
}: {
  readonly connection: Connection;
  readonly log: Logger;
}): OwnershipReader {
  const readOwnership = createReads(connection);
  return {
    async isOfOther(events, proven) {
      const ids = [...new Set(events.map((event) => paymentRequestIdOf(event) ?? -1))];
      const isOther = ofOthers(events, proven);
      try {
        const found = await withTimeLimit(LIMIT_MS, async () => Promise.all(ids.map(readOwnership)));
        return found.every((one) => one !== undefined && isOther(one));
      } catch (error) {
        log.warn({ err: error }, 'the mode of a payment could not be read for the answer to its callback');
        return false;
      }
    },

    async accountNamedIn({ query, body }, adapter) {
      const reference = referenceIn(query, body) ?? null;
      const id = paymentRequestIdOf({ reference });
      if (id === null) return undefined;
      try {
        const payment = await withTimeLimit(LIMIT_MS, async () => readOwnership(id));
        const attempt = payment?.attempts.find((one) => one.adapter === adapter && one.reference === reference);
        return attempt && (attempt.account ?? mainAccount);
      } catch (error) {
        log.warn({ err: error }, 'the account of a payment could not be read for the proof of its callback');
        return undefined;
      }
    },
  };
}

/** Undefined: there is no payment request with this id. */
function createReads(connection: Connection): Batcher<number, Ownership | undefined> {
  const { collectionName } = paymentRequestModel(connection).collection;
  const payments = connection.collection<Ownership & { readonly _id: number }>(collectionName);
  return createBatcher<number, Ownership | undefined>({
    async run(ids) {
      const found = await payments.find({ _id: { $in: [...ids] } }, { projection, maxTimeMS: LIMIT_MS }).toArray();
      const byId = new Map(found.map((one) => [one._id, one]));
      return ids.map((id) => ({ value: byId.get(id) }));
    },
  });
}

/** Says of a payment of the events whether it is of another mode, or of another account. */
function ofOthers(
  events: readonly MappedEvent[],
  { mode, adapter, accounts }: ProvenSide,
): (payment: Ownership) => boolean {
  const references = new Set(events.map(({ reference }) => reference));
  return ({ environment, attempts }) => {
    if (mode !== undefined && environment !== mode) return true;
    // Attempts of the account `main` have no member `account`.
    return attempts.some(({ account = mainAccount, ...attempt }) => {
      return attempt.adapter === adapter && references.has(attempt.reference) && accounts?.includes(account) === false;
    });
  };
}
