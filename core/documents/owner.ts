/** Owners: the merchants. A name is given once and never changes; webhook secrets are encrypted. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from './model.ts';

export interface OwnerDocument {
  _id: number;
  name: string;
  webhookSecret: Buffer;
  previousWebhookSecret?: Buffer;
  previousValidUntil?: Date;
  notifyUrl?: string;
  email?: string;
  /** ISO 4217; absent: config's. */
  reportingCurrency?: string;
  /** When the owner was last notified that the API version it uses is past its support. */
  deprecationNoticeAt?: Date;
  createdAt: Date;
}

const ownerSchema = new Schema<OwnerDocument>(
  {
    _id: { type: Number, required: true },
    name: { type: String, required: true },
    webhookSecret: { type: Buffer, required: true },
    previousWebhookSecret: Buffer,
    previousValidUntil: Date,
    notifyUrl: String,
    email: String,
    reportingCurrency: String,
    deprecationNoticeAt: Date,
    createdAt: { type: Date, required: true },
  },
  { collection: 'owners', strict: 'throw', versionKey: false, autoIndex: false },
);
ownerSchema.index({ name: 1 }, { unique: true });

export function ownerModel(connection: Connection): Model<OwnerDocument> {
  return modelFor(connection, 'Owner', ownerSchema);
}
