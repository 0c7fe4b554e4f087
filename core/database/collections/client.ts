/**
 * A merchant's client. Clients are found or created per owner by e-mail address. The id of a client with an e-mail
 * address is derived from owner, environment and address, so `_id` alone prevents duplicates: a collection that is
 * sharded by `_id` can have no other unique index.
 */
import { createHash } from 'node:crypto';
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { countedPaymentSchema, type CountedPayment, type DepositSums } from './deposit.ts';
import { text } from '../members.ts';
import { modelFor } from '../model.ts';

/** The members of a client that a merchant sends. */
export interface ClientInput {
  readonly name: string | null;
  readonly email: string | null;
  readonly address: string | null;
  readonly phone: string | null;
  readonly memberId: string | null;
}

export interface Client extends ClientInput {
  readonly _id: number;
  readonly ownerId: number;
  readonly environment: Environment;
  /**
   * The e-mail address in lower case, by which clients are found. Null: the client was created without an address and
   * is not found by this document; if it got an address later, another document leads to it (`aliasOf`).
   */
  readonly emailKey: string | null;
  /**
   * Only if a client got its e-mail address later: the id of that client. Such a document only points to the client.
   */
  readonly aliasOf?: number;
  readonly createdAt: Date;
  /** The first paid payment request of the client. */
  readonly firstPaidId: number | null;
  /** The sums of its payments, as far as they are counted: usually empty, see `count-deposits.ts`. */
  readonly deposits: DepositSums;
  /** The payments of the latest count, until each of them records this itself. */
  readonly counting: readonly CountedPayment[];
  /**
   * The process of the latest count, and the number of counts. A count that is based on an earlier state changes
   * nothing.
   */
  readonly countedBy: string | null;
  readonly counts: number;
}

/** For a client without payments. */
export const nothingCounted = { deposits: {}, counting: [], countedBy: null, counts: 0 } as const;

const schema = new Schema<Client>(
  {
    _id: { type: Number, required: true },
    ownerId: Number,
    environment: String,
    emailKey: text,
    aliasOf: Number,
    name: text,
    email: text,
    address: text,
    phone: text,
    memberId: text,
    createdAt: Date,
    firstPaidId: { type: Number, default: null },
    deposits: Schema.Types.Mixed,
    counting: [countedPaymentSchema],
    countedBy: text,
    counts: Number,
  },
  { collection: 'clients', strict: 'throw', versionKey: false, autoIndex: false, minimize: false },
);
export function clientModel(connection: Connection): Model<Client> {
  return modelFor(connection, 'Client', schema);
}

/** 15 digits, the maximum that every JSON reader keeps exactly. Counted ids stay far below. */
const firstByEmail = 1e14;
const idsByEmail = 9e14;

export interface ClientAddress {
  readonly ownerId: number;
  readonly environment: Environment;
  readonly emailKey: string;
}

/**
 * The candidate ids of the client with this address, in this order: the next id is used if another client has the one
 * before.
 */
export function clientIdOf({ ownerId, environment, emailKey }: ClientAddress, collisions: number): number {
  const named = JSON.stringify([ownerId, environment, emailKey, collisions]);
  const bits = createHash('sha256').update(named).digest().readBigUInt64BE();
  return firstByEmail + Number(bits % BigInt(idsByEmail));
}
