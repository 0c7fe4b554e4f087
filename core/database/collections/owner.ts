/** Owners: the merchants. A name is given once and never changes; webhook secrets are encrypted. */
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { modelFor } from '../model.ts';

/** Encrypted. */
export interface KeptSecret {
  current: Buffer;
  previous?: Buffer;
  previousValidUntil?: Date;
}

export interface StoredLogo {
  /** Of its bytes, cut short. */
  hash: string;
  /** Such as `image/png`. */
  type: string;
  bytes: Buffer;
}

/** What payers see of the merchant. */
export interface StoredBrand {
  displayName?: string;
  logo?: StoredLogo;
  colour?: string;
  support?: string;
  terms?: string;
}

export interface OwnerDocument {
  _id: number;
  name: string;
  webhookSecrets: Record<Environment, KeptSecret>;
  /** Of live events; test events go to none but `testNotifyUrl`. */
  notifyUrl?: string;
  testNotifyUrl?: string;
  email?: string;
  /** ISO 4217; absent: config's. */
  reportingCurrency?: string;
  /** Of payments, those that it wants; absent: all. */
  notificationTypes?: string[];
  brand?: StoredBrand;
  /** When the owner was last notified that the API version it uses is past its support. */
  deprecationNoticeAt?: Date;
  /** Until then its test events without an address are kept for the stream; absent: nobody listens. */
  listeningUntil?: Date;
  createdAt: Date;
}

const keptSecretSchema = new Schema<KeptSecret>(
  { current: { type: Buffer, required: true }, previous: Buffer, previousValidUntil: Date },
  { _id: false, strict: 'throw' },
);
const logoSchema = new Schema<StoredLogo>(
  { hash: String, type: { type: String }, bytes: Buffer },
  { _id: false, strict: 'throw' },
);
const brandSchema = new Schema<StoredBrand>(
  { displayName: String, logo: logoSchema, colour: String, support: String, terms: String },
  { _id: false, strict: 'throw' },
);
const ownerSchema = new Schema<OwnerDocument>(
  {
    _id: { type: Number, required: true },
    name: { type: String, required: true },
    webhookSecrets: { test: keptSecretSchema, live: keptSecretSchema },
    notifyUrl: String,
    testNotifyUrl: String,
    email: String,
    reportingCurrency: String,
    notificationTypes: { type: [String], default: undefined },
    brand: brandSchema,
    deprecationNoticeAt: Date,
    listeningUntil: Date,
    createdAt: { type: Date, required: true },
  },
  { collection: 'owners', strict: 'throw', versionKey: false, autoIndex: false },
);
ownerSchema.index({ name: 1 }, { unique: true });

export function ownerModel(connection: Connection): Model<OwnerDocument> {
  return modelFor(connection, 'Owner', ownerSchema);
}
