/** Links that open the portal of a merchant. The link itself is not stored: it consists of the id and its signature. */
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { modelFor } from '../model.ts';

export interface PortalLinkDocument {
  /** `plink_` and 16 hex digits: the id that commands, pages and the audit log show. */
  readonly _id: string;
  readonly ownerId: number;
  readonly environment: Environment;
  /** Whether the webhook secret may be rotated with this link. */
  readonly allowsRotation: boolean;
  /** The creator, for example `command ana`. */
  readonly madeBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt?: Date;
  /** Exact to the minute. */
  lastUsedAt?: Date;
  /** When MongoDB deletes the document. */
  readonly expireAt: Date;
}

const schema = new Schema<PortalLinkDocument>(
  {
    _id: { type: String, required: true },
    ownerId: { type: Number, required: true },
    environment: { type: String, enum: ['test', 'live'], required: true },
    allowsRotation: { type: Boolean, required: true },
    madeBy: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    revokedAt: Date,
    lastUsedAt: Date,
    expireAt: { type: Date, required: true },
  },
  { collection: 'portalLinks', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ ownerId: 1, createdAt: -1 });
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function portalLinkModel(connection: Connection): Model<PortalLinkDocument> {
  return modelFor(connection, 'PortalLink', schema);
}
