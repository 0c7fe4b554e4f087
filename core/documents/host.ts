/** The hosts of the service: one document per supervisor that runs, renewed every second. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from './model.ts';

export interface Host {
  /** Of one start; never given twice. */
  readonly _id: string;
  readonly hostname: string;
  /** Both are the database's time. */
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** Workers that are up. */
  readonly workers: number;
  /** Names of its processes, as leases and locks have them. */
  readonly processes: readonly string[];
  /** Fingerprints of its 3D Secure secrets; the first one signs. */
  readonly tokenSecrets: readonly string[];
  /** The version of each adapter's package. */
  readonly adapters: readonly { readonly name: string; readonly version: string }[];
}

const schema = new Schema<Host>(
  {
    _id: String,
    hostname: String,
    startedAt: Date,
    seenAt: Date,
    workers: Number,
    processes: [String],
    tokenSecrets: [String],
    adapters: [{ _id: false, name: String, version: String }],
  },
  { collection: 'hosts', strict: 'throw', versionKey: false, autoIndex: false },
);
// Nobody was left to notice its death.
schema.index({ seenAt: 1 }, { expireAfterSeconds: 86_400 });

export function hostModel(connection: Connection): Model<Host> {
  return modelFor(connection, 'Host', schema);
}
