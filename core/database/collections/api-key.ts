/** API keys of owners. The key itself is not stored, only its SHA-256. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface ApiKeyDocument {
  /** `key_` and 16 hex digits: the id that commands and logs show. */
  _id: string;
  /** SHA-256 of the key in lower hex. */
  hash: string;
  ownerId: number;
  environment: 'test' | 'live';
  scopes: string[];
  /** Requests per minute; absent: the limit of the config. */
  limit?: number;
  createdAt: Date;
  expiresAt?: Date;
  revokedAt?: Date;
  /** When a newer key replaced it. `expiresAt` is then the end of the overlap. */
  rotatedAt?: Date;
  /** Exact to the minute. */
  lastUsedAt?: Date;
}

const apiKeySchema = new Schema<ApiKeyDocument>(
  {
    _id: { type: String, required: true },
    hash: { type: String, required: true },
    ownerId: { type: Number, required: true },
    environment: { type: String, enum: ['test', 'live'], required: true },
    scopes: { type: [String], required: true },
    limit: Number,
    createdAt: { type: Date, required: true },
    expiresAt: Date,
    revokedAt: Date,
    rotatedAt: Date,
    lastUsedAt: Date,
  },
  { collection: 'apiKeys', strict: 'throw', versionKey: false, autoIndex: false },
);
apiKeySchema.index({ hash: 1 }, { unique: true });
apiKeySchema.index({ ownerId: 1, createdAt: 1 });

export function apiKeyModel(connection: Connection): Model<ApiKeyDocument> {
  return modelFor(connection, 'ApiKey', apiKeySchema);
}
