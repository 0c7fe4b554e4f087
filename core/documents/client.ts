/** A merchant's client: found or made per owner by e-mail. */
import { Schema, type Connection, type Model } from 'mongoose';
import type { ClientInput, Environment } from '../payments/service.ts';
import { modelFor } from './model.ts';

export interface Client extends ClientInput {
  readonly _id: number;
  readonly ownerId: number;
  readonly environment: Environment;
  /** In small letters, as clients are told apart; null: a client of its own. */
  readonly emailKey: string | null;
  readonly createdAt: Date;
  /** The payment request that was the client's first paid one. */
  readonly firstPaidId: number | null;
}

const text = { type: String, default: null };
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
