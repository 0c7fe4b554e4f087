/** The list of merchants with what an operator looks for first: active keys, the last payment, failing endpoints. */
import type { Connection } from 'mongoose';
import { apiKeyModel } from '../../database/collections/api-key.ts';
import { endpointModel } from '../../database/collections/endpoint.ts';
import { paymentRequestModel } from '../../database/collections/payment-request.ts';
import type { Owner, Owners } from '../access/index.ts';

export interface MerchantSummary extends Owner {
  readonly activeKeys: number;
  /** When the latest payment request of either mode was created. */
  readonly lastPaymentAt: Date | null;
  /** Endpoints at which every attempt fails, and disabled ones. */
  readonly failingEndpoints: number;
  readonly disabledEndpoints: number;
}

interface Counted {
  readonly _id: number;
  readonly count: number;
  readonly disabled: number;
}

/**
 * `text` is a part of the name, of the name shown to payers or of the e-mail, or the whole id. `pageOf` chooses the
 * merchants to count for, because counting is slower than finding.
 */
export async function listMerchants(
  { connection, owners, now }: { readonly connection: Connection; readonly owners: Owners; readonly now: () => Date },
  text = '',
  pageOf: (found: readonly Owner[]) => readonly Owner[] = (found) => found,
): Promise<readonly MerchantSummary[]> {
  const wanted = text.toLowerCase();
  const isWanted = ({ id, name, brand, email }: Owner): boolean =>
    String(id) === wanted || [name, brand.displayName, email].some((one) => one?.toLowerCase().includes(wanted));
  const found = pageOf((await owners.list()).filter(isWanted));
  const ids = found.map(({ id }) => id);
  const [keys, endpoints, payments] = await Promise.all([
    countActiveKeys(connection, ids, now()),
    countFailingEndpoints(connection, ids),
    findLastPayments(connection, ids),
  ]);
  return found.map((owner) => {
    const { count = 0, disabled = 0 } = endpoints.get(owner.id) ?? {};
    return {
      ...owner,
      activeKeys: keys.get(owner.id) ?? 0,
      lastPaymentAt: payments.get(owner.id) ?? null,
      failingEndpoints: count - disabled,
      disabledEndpoints: disabled,
    };
  });
}

async function countActiveKeys(connection: Connection, ids: readonly number[], at: Date): Promise<Map<number, number>> {
  const isActive = {
    ownerId: { $in: ids },
    revokedAt: { $exists: false },
    $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: at } }],
  };
  const counted = await apiKeyModel(connection).aggregate<{ _id: number; count: number }>([
    { $match: isActive },
    { $group: { _id: '$ownerId', count: { $sum: 1 } } },
  ]);
  return new Map(counted.map(({ _id, count }) => [_id, count]));
}

async function countFailingEndpoints(connection: Connection, ids: readonly number[]): Promise<Map<number, Counted>> {
  const isDisabled = { $cond: [{ $gt: ['$disabledAt', null] }, 1, 0] };
  const counted = await endpointModel(connection).aggregate<Counted>([
    { $match: { ownerId: { $in: ids } } },
    { $group: { _id: '$ownerId', count: { $sum: 1 }, disabled: { $sum: isDisabled } } },
  ]);
  return new Map(counted.map((one) => [one._id, one]));
}

/** Reads at most this many merchants at the same time: each is one read of an index. */
const atOnce = 20;

async function findLastPayments(connection: Connection, ids: readonly number[]): Promise<Map<number, Date>> {
  const model = paymentRequestModel(connection);
  const last = new Map<number, Date>();
  const lastOf = async (ownerId: number): Promise<void> => {
    for (const environment of ['live', 'test'] as const) {
      const found = await model
        .findOne({ ownerId, environment }, { createdAt: 1 })
        .sort({ createdAt: -1, _id: -1 })
        .lean<{ readonly createdAt: Date } | null>();
      const known = last.get(ownerId);
      if (found && (!known || found.createdAt > known)) last.set(ownerId, found.createdAt);
    }
  };
  for (let at = 0; at < ids.length; at += atOnce) await Promise.all(ids.slice(at, at + atOnce).map(lastOf));
  return last;
}
