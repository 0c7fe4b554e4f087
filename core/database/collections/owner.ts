/**
 * Owners are the merchants. A name is set once and never changes; webhook secrets are encrypted. A removed owner is
 * kept, so that nothing that still names it loses its secrets.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { modelFor } from '../model.ts';

/** Both secrets are encrypted. */
export interface KeptSecret {
  current: Buffer;
  previous?: Buffer;
  previousValidUntil?: Date;
}

export interface StoredLogo {
  /** The truncated hash of the bytes. */
  hash: string;
  /** For example `image/png`. */
  type: string;
  bytes: Buffer;
}

/** The part of the merchant that payers see. */
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
  /** For live events. Test events are only sent to `testNotifyUrl`. */
  notifyUrl?: string;
  testNotifyUrl?: string;
  email?: string;
  /** ISO 4217; absent: the currency of the config. */
  reportingCurrency?: string;
  /** The payment notification types that the owner wants; absent: all. */
  notificationTypes?: string[];
  brand?: StoredBrand;
  /** The owner uses only accounts of providers that are assigned to it. Absent: also those that serve everybody. */
  ownAccountsOnly?: boolean;
  /** When the owner was last notified that it uses an API version without support. */
  deprecationNoticeAt?: Date;
  /** Until this time, test events without an address are kept for the stream; absent: no client listens. */
  listeningUntil?: Date;
  createdAt: Date;
  /** When an operator removed the owner, which had no payments. A new key for its name restores it. */
  removedAt?: Date;
  /** While its keys and links are being revoked: nothing restores it before. Later than this, its operator has died. */
  removingUntil?: Date;
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
    ownAccountsOnly: Boolean,
    deprecationNoticeAt: Date,
    listeningUntil: Date,
    createdAt: { type: Date, required: true },
    removedAt: Date,
    removingUntil: Date,
  },
  { collection: 'owners', strict: 'throw', versionKey: false, autoIndex: false },
);
ownerSchema.index({ name: 1 }, { unique: true });

export function ownerModel(connection: Connection): Model<OwnerDocument> {
  return modelFor(connection, 'Owner', ownerSchema);
}
