/** Where notifications of an owner fail: one document per owner, environment and origin, gone once one is delivered again. */
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { modelFor } from '../model.ts';

export interface EndpointDocument {
  /** `<owner>:<environment>:<origin>` */
  readonly _id: string;
  readonly ownerId: number;
  readonly environment: Environment;
  /** Scheme, host and port of its addresses. */
  readonly origin: string;
  /** Host and port, as notifications name them. */
  readonly receiver: string;
  /** Every attempt that began since then failed. */
  readonly failingSince: Date;
  /** Since when nothing is sent to it any more; absent: it is tried. */
  readonly disabledAt?: Date;
  /** When it is said next that it is disabled, unless it was said by then; absent: there is nothing to say. */
  readonly tellAt?: Date;
  /** Since when what was kept is made due again; absent: nobody has enabled it. */
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
