/**
 * Endpoints whose notifications fail: one document per owner, environment and origin. It is deleted after the next
 * successful delivery.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { modelFor } from '../model.ts';

export interface EndpointDocument {
  /** `<owner>:<environment>:<origin>` */
  readonly _id: string;
  readonly ownerId: number;
  readonly environment: Environment;
  /** Scheme, host and port of the addresses. */
  readonly origin: string;
  /** Host and port, as notifications name the receiver. */
  readonly receiver: string;
  /** Every attempt that started since then failed. */
  readonly failingSince: Date;
  /** When the endpoint was disabled: nothing is sent to it any more. Absent: it is enabled. */
  readonly disabledAt?: Date;
  /** When the owner is next notified that the endpoint is disabled. Absent: no notification is pending. */
  readonly tellAt?: Date;
  /** When the endpoint was enabled again: its kept notifications become due from then on. Absent: it was not. */
  readonly enabledAt?: Date;
}

const schema = new Schema<EndpointDocument>(
  {
    _id: String,
    ownerId: { type: Number, required: true },
    environment: { type: String, enum: ['test', 'live'], required: true },
    origin: { type: String, required: true },
    receiver: { type: String, required: true },
    failingSince: { type: Date, required: true },
    disabledAt: Date,
    tellAt: Date,
    enabledAt: Date,
  },
  { collection: 'endpoints', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ ownerId: 1 });

export function endpointModel(connection: Connection): Model<EndpointDocument> {
  return modelFor(connection, 'Endpoint', schema);
}
