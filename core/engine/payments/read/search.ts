/** An operator's search over all owners. Every query uses an index. */
import { readReference } from '@paywright/contract';
import { mongo, type Connection } from 'mongoose';
import type { Attempt } from '../../../database/collections/attempt.ts';
import { clientIdOf, clientModel, type ClientAddress } from '../../../database/collections/client.ts';
import { fromDocument, toDecimal } from '../../../database/decimals.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { invalidField } from '../../../base/errors.ts';
import { environmentsOf, ownerIdsOf, ownerRangesOf } from '../../access/index.ts';
import type { Environment } from '../../../base/environment.ts';
import { afterCursor, newestFirst, toCursor } from './cursor.ts';
import { underpaidText } from '../state/received-coins.ts';
import { statusLabelOf, type StatusLabel } from '../record/status-label.ts';

export interface PaymentSearch {
  /**
   * Matches exactly: the id, a reference of ours (`GW-10042-1`, also of a refund), the merchant's reference, the
   * provider's, or the client's e-mail.
   */
  readonly text?: string;
  /** Decimal text, as requested. */
  readonly amount?: string;
  readonly unit?: string;
  /** The last digits of a card of any of its attempts. */
  readonly lastFour?: string;
  readonly ownerId?: number;
  readonly environment?: Environment;
  readonly statusId?: PaymentRecord['statusId'];
  readonly createdFrom?: Date;
  /** Before this moment. */
  readonly createdBefore?: Date;
  readonly limit: number;
  readonly cursor?: string;
}

export interface FoundPayment {
  readonly id: number;
  readonly ownerId: number;
  readonly environment: Environment;
  readonly createdAt: Date;
  readonly status: StatusLabel;
  readonly amount: string;
  readonly unit: string;
  /** The currency that is charged; before the first attempt, the unit as sent. */
  readonly currency: string;
  readonly referenceId: string | null;
  readonly email: string | null;
  /** The adapter of the latest attempt. */
  readonly adapter: string | null;
  readonly providerReference: string | null;
  readonly cardLastDigits: string | null;
  readonly chargedBack: boolean;
  /** True if the outcome of an attempt is no longer checked. */
  readonly needsReview: boolean;
  /** For coins that arrived without paying: `Received 48.36 EUR of 80.60 EUR`. Null: there are none. */
  readonly underpaid: string | null;
}

export type SearchPayments = (
  search: PaymentSearch,
) => Promise<{ readonly items: readonly FoundPayment[]; readonly nextCursor: string | null }>;

type Filter = Readonly<Record<string, unknown>>;

const members = {
  ownerId: 1,
  environment: 1,
  createdAt: 1,
  statusId: 1,
  cancelledAt: 1,
  amount: 1,
  unit: 1,
  referenceId: 1,
  'client.email': 1,
  payerEmail: 1,
  chargedBack: 1,
  'attempts.adapter': 1,
  'attempts.amount': 1,
  'attempts.outcome': 1,
  'attempts.received': 1,
  'attempts.providerReference': 1,
  'attempts.cardLastDigits': 1,
  'attempts.currency': 1,
  'attempts.needsReview': 1,
} as const;

type FoundRecord = Pick<
  PaymentRecord,
  | '_id'
  | 'ownerId'
  | 'environment'
  | 'createdAt'
  | 'statusId'
  | 'cancelledAt'
  | 'amount'
  | 'unit'
  | 'referenceId'
  | 'client'
  | 'payerEmail'
  | 'chargedBack'
> & {
  readonly attempts: readonly Pick<
    Attempt,
    'adapter' | 'amount' | 'outcome' | 'received' | 'currency' | 'providerReference' | 'cardLastDigits' | 'needsReview'
  >[];
};

/** The time limit of one query. */
const limitMs = 2000;
/** MongoDB's error code for an exceeded time limit. */
const maxTimeExpired = 50;

/** After a client was erased and came back, the first id belongs to another client. */
const idsInTurn = [0, 1, 2, 3] as const;

export function createPaymentSearch(connection: Connection): SearchPayments {
  const payments = paymentRequestModel(connection).collection;
  const clients = clientModel(connection);

  /** The id of a client follows from owner, environment and e-mail. */
  async function byEmail(search: PaymentSearch, email: string): Promise<object[]> {
    const sides = environmentsOf(search);
    const emailKey = email.toLowerCase();
    const addresses = (await ownerIdsOf(connection, search)).flatMap((ownerId) =>
      sides.map((environment): ClientAddress => ({ ownerId, environment, emailKey })),
    );
    const ids = addresses.flatMap((address) => idsInTurn.map((turn) => clientIdOf(address, turn)));
    const found = await clients.find({ _id: { $in: ids }, emailKey }, { aliasOf: 1 }).lean();
    const clientIds = found.map(({ _id, aliasOf }) => aliasOf ?? _id);
    return clientIds.length ? [{ clientId: { $in: clientIds }, environment: { $in: sides } }] : [];
  }

  async function waysOf(search: PaymentSearch): Promise<readonly object[]> {
    const { text, amount, lastFour } = search;
    if (text === undefined) {
      if (lastFour !== undefined || amount !== undefined) return [{}];
      return ownerRangesOf(connection, search);
    }
    const id = idOf(text);
    return [
      ...(text.includes('@') ? await byEmail(search, text) : []),
      ...(id === undefined ? [] : [{ _id: id }]),
      { 'attempts.providerReference': { $type: 'string', $eq: text } },
      { 'attempts.providerReferences.id': { $type: 'string', $eq: text } },
      ...(await ownerRangesOf(connection, search)).map((owned) => ({ ...owned, referenceId: text })),
    ];
  }

  return async (search) => {
    const { limit } = search;
    const narrowed = narrow(search);
    const found = new Map<number, FoundRecord>();
    for (const way of await waysOf(search)) {
      const page = payments
        .find({ $and: [way, narrowed] }, { projection: members, maxTimeMS: limitMs })
        .sort(newestFirst)
        .limit(limit + 1);
      for (const one of await readAll(page)) found.set(Number(one['_id']), fromDocument(one) as FoundRecord);
    }
    const ordered = [...found.values()].toSorted(
      (one, other) => other.createdAt.getTime() - one.createdAt.getTime() || other._id - one._id,
    );
    const records = ordered.slice(0, limit);
    const last = records.at(-1);
    return { items: records.map(present), nextCursor: ordered.length > limit && last ? toCursor(last) : null };
  };
}

/**
 * Rejects with VAL002 if the query took too long: very many payments have the amount, and hardly any of them the
 * status.
 */
async function readAll(page: mongo.FindCursor<mongo.Document>): Promise<readonly mongo.Document[]> {
  try {
    return await page.toArray();
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError) || error.code !== maxTimeExpired) throw error;
    throw invalidField('search', '', 'matches too many payments: name a merchant or a time');
  }
}

/** The conditions that every found payment meets, whichever way it is found. */
function narrow(search: PaymentSearch): Filter {
  const { amount, unit, lastFour, ownerId, environment, statusId, createdFrom, createdBefore, cursor } = search;
  const created = { ...(createdFrom && { $gte: createdFrom }), ...(createdBefore && { $lt: createdBefore }) };
  return {
    ...(amount !== undefined && { amount: toDecimal(amount) }),
    // Found by the currency that is shown: the charged one, or the unit as sent.
    ...(unit !== undefined && { $or: [{ unit }, { 'attempts.currency': unit }] }),
    ...(lastFour !== undefined && { 'attempts.cardLastDigits': { $type: 'string', $eq: lastFour } }),
    ...(ownerId !== undefined && { ownerId }),
    ...(environment && { environment }),
    ...(statusId !== undefined && { statusId }),
    ...(Object.keys(created).length > 0 && { createdAt: created }),
    ...(cursor !== undefined && afterCursor(cursor)),
  };
}

/** The payment request that an id or a reference of ours names. */
function idOf(text: string): number | undefined {
  const named = readReference(text.replace(/-[A-Z]\d+$/, ''))?.paymentRequestId ?? text;
  return /^[1-9]\d{0,15}$/.test(named) && Number.isSafeInteger(Number(named)) ? Number(named) : undefined;
}

function present(record: FoundRecord): FoundPayment {
  const { _id: id, ownerId, environment, createdAt, amount, unit, referenceId, chargedBack, attempts } = record;
  const latest = attempts.at(-1);
  return {
    id,
    ownerId,
    environment,
    createdAt,
    status: statusLabelOf(record),
    amount,
    unit,
    currency: latest?.currency ?? unit,
    referenceId,
    email: record.client.email ?? record.payerEmail ?? null,
    adapter: latest?.adapter ?? null,
    providerReference: latest?.providerReference ?? null,
    cardLastDigits: latest?.cardLastDigits ?? null,
    chargedBack,
    needsReview: attempts.some(({ needsReview }) => needsReview),
    underpaid: underpaidText(attempts) ?? null,
  };
}
