/**
 * Operator keys. They belong to no merchant and are only valid at the operators' listener. The key itself is not
 * stored, only its SHA-256.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

/** `admin`: everything; `support`: nothing dangerous; `viewer`: read only. */
export const operatorRoles = ['admin', 'support', 'viewer'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

export interface OperatorDocument {
  /** `op_` and 16 hex digits: the id that commands and logs show. */
  _id: string;
  /** SHA-256 of the key in lower hex. */
  hash: string;
  /** The holder of the key. Two keys may have the same name, so that one can replace the other. */
  name: string;
  role: OperatorRole;
  createdAt: Date;
  revokedAt?: Date;
  /** Absent: the key does not expire. */
  expiresAt?: Date;
  /** Exact to the minute. */
  lastUsedAt?: Date;
  /** Console sessions that started before this time are invalid. */
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
    expiresAt: Date,
    lastUsedAt: Date,
    signedOutAt: Date,
  },
  { collection: 'operators', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ hash: 1 }, { unique: true });

export function operatorModel(connection: Connection): Model<OperatorDocument> {
  return modelFor(connection, 'Operator', schema);
}
