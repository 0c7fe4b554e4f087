/** A merchant's API call, without its contents. The portal shows it. */
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { modelFor } from '../model.ts';

export interface ApiCallDocument {
  readonly ownerId: number;
  readonly environment: Environment;
  readonly at: Date;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  /** The error code of the answer, such as `VAL002`. Absent: no error, or a call that an earlier version logged. */
  readonly code?: string;
  readonly ms: number;
  /** The API key of the call. */
  readonly keyId: string;
  readonly requestId: string;
  readonly expireAt: Date;
}

const schema = new Schema<ApiCallDocument>(
  {
    ownerId: { type: Number, required: true },
    environment: { type: String, enum: ['test', 'live'], required: true },
    at: { type: Date, required: true },
    method: { type: String, required: true },
    path: { type: String, required: true },
    status: { type: Number, required: true },
    code: { type: String },
    ms: { type: Number, required: true },
    keyId: { type: String, required: true },
    requestId: { type: String, required: true },
    expireAt: { type: Date, required: true },
  },
  { collection: 'apiCalls', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ ownerId: 1, environment: 1, at: -1, _id: -1 }, { name: 'list' });
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function apiCallModel(connection: Connection): Model<ApiCallDocument> {
  return modelFor(connection, 'ApiCall', schema);
}
