/** The hosts of the service: one document per supervisor that runs, renewed every second. */
import { Schema, type Connection, type Model } from 'mongoose';
import { SECOND } from '../../base/async/time.ts';
import { modelFor } from '../model.ts';

/** A process that is up and has given no sign of life for so long is ended by its host, and replaced. */
export const maxSilentMs = 15 * SECOND;

/** `unresponsive`: up, but without the heartbeat of every second. `down`: it ended, and its successor is not there yet. */
export type ProcessState = 'starting' | 'up' | 'unresponsive' | 'down';

/** One of the processes that a host keeps running. */
export interface HostProcess {
  /** Of its place, as people read it, such as `Worker 2`: the process that replaces it has the same. */
  readonly title: string;
  /** As leases, locks and the log have it; empty where it is down. */
  readonly name: string;
  readonly state: ProcessState;
  /** For how long it had given no sign of life when the host was seen; 0 where it is down. */
  readonly silentMs: number;
}

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
  /** Those that it is to have; absent of a host of an earlier version. */
  readonly processStates?: readonly HostProcess[];
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
    processStates: [{ _id: false, title: String, name: String, state: String, silentMs: Number }],
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
