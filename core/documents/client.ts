/** A merchant's client: found or made per owner by e-mail. */
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../environment.ts';
import { text } from './members.ts';
import { modelFor } from './model.ts';

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
  readonly createdAt: Date;
  /** The payment request that was the client's first paid one. */
  readonly firstPaidId: number | null;
}

const schema = new Schema<Client>(
  {
    _id: { type: Number, required: true },
    ownerId: Number,
    environment: String,
    emailKey: text,
    name: text,
    email: text,
    address: text,
    phone: text,
    memberId: text,
    createdAt: Date,
    firstPaidId: { type: Number, default: null },
  },
  { collection: 'clients', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index(
  { ownerId: 1, environment: 1, emailKey: 1 },
  { unique: true, partialFilterExpression: { emailKey: { $type: 'string' } } },
);

export function clientModel(connection: Connection): Model<Client> {
  return modelFor(connection, 'Client', schema);
}
