/** Keys of operators: of no merchant, and of use at the operators' listener alone. The key itself is nowhere: only its SHA-256. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

/** `admin`: everything; `support`: nothing dangerous; `viewer`: looks on. */
export const operatorRoles = ['admin', 'support', 'viewer'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

export interface OperatorDocument {
  /** `op_` and 16 hex digits: what commands and logs call it. */
  _id: string;
  /** SHA-256 of the key in lower hex. */
  hash: string;
  /** Who has it. Two keys may have one name, so that one follows the other. */
  name: string;
  role: OperatorRole;
  createdAt: Date;
  revokedAt?: Date;
  /** To the minute. */
  lastUsedAt?: Date;
  /** Sessions of the console that began before are over. */
  signedOutAt?: Date;
}

const schema = new Schema<OperatorDocument>(
  {
    _id: { type: String, required: true },
    hash: { type: String, required: true },
    name: { type: String, required: true },
    role: { type: String, enum: operatorRoles, required: true },
    createdAt: { type: Date, required: true },
    revokedAt: Date,
    lastUsedAt: Date,
    signedOutAt: Date,
  },
  { collection: 'operators', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ hash: 1 }, { unique: true });

export function operatorModel(connection: Connection): Model<OperatorDocument> {
  return modelFor(connection, 'Operator', schema);
}
