/**
 * A merchant's client: found or made per owner by e-mail. The id of one with an e-mail follows from owner, environment and
 * e-mail, so that `_id` alone keeps two of the same from being made: a collection that is sharded by `_id` can hold no
 * other unique index.
 */
import { createHash } from 'node:crypto';
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { countedPaymentSchema, type CountedPayment, type DepositSums } from './deposit.ts';
import { text } from '../members.ts';
import { modelFor } from '../model.ts';

/** Members of a client as a merchant gives them. */
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
  /** In small letters, by which clients are found; null: a client of its own. */
  readonly emailKey: string | null;
  /** Only where a client took its e-mail later: that client's id. Such a document is nothing but the way there. */
  readonly aliasOf?: number;
  readonly createdAt: Date;
  /** The payment request that was the client's first paid one. */
  readonly firstPaidId: number | null;
  /** What its payments came to, as far as they are counted. */
  readonly deposits: DepositSums;
  /** The payments that were counted last, until each of them says so itself. */
  readonly counting: readonly CountedPayment[];
  /** Who counted last, and how often somebody did: a count of an earlier state changes nothing. */
  readonly countedBy: string | null;
  readonly counts: number;
}

/** Of a client without payments. */
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

/** 15 digits, the most that every JSON reader takes exactly; ids that are counted stay far below. */
const firstByEmail = 1e14;
const idsByEmail = 9e14;

export interface ClientAddress {
  readonly ownerId: number;
  readonly environment: Environment;
  readonly emailKey: string;
}

/** The ids at which the client of that address is looked for, in this order: the next where another has the one before. */
export function clientIdOf({ ownerId, environment, emailKey }: ClientAddress, collisions: number): number {
  const named = JSON.stringify([ownerId, environment, emailKey, collisions]);
  const bits = createHash('sha256').update(named).digest().readBigUInt64BE();
  return firstByEmail + Number(bits % BigInt(idsByEmail));
}
