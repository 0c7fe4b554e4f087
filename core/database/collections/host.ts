/** The hosts of the service: one document per running supervisor, renewed every 2 s. */
import { Schema, type Connection, type Model } from 'mongoose';
import { SECOND } from '../../base/async/time.ts';
import { modelFor } from '../model.ts';

/** If a process that is up sends no heartbeat for this long, its host kills and replaces it. */
export const maxSilentMs = 15 * SECOND;

/**
 * `unresponsive`: up, but without the heartbeat of every second. `down`: it has exited, and its replacement has not
 * started yet.
 */
export type ProcessState = 'starting' | 'up' | 'unresponsive' | 'down';

/** One of the processes that a host keeps running. */
export interface HostProcess {
  /** The name that people read, for example `Worker 2`. A replacement process has the same title. */
  readonly title: string;
  /** The name in leases, locks and logs; empty while the process is down. */
  readonly name: string;
  readonly state: ProcessState;
  /** How long the process had sent no heartbeat when the host was last seen; 0 while it is down. */
  readonly silentMs: number;
}

export interface Host {
  /** The id of one start of the host; never reused. */
  readonly _id: string;
  readonly hostname: string;
  /** Both times are the database server's. */
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** The number of workers that are up. */
  readonly workers: number;
  /** The names of its processes in leases and locks. */
  readonly processes: readonly string[];
  /** The processes that the host should run; absent for a host of an earlier version. */
  readonly processStates?: readonly HostProcess[];
  /** The schema version of its code; absent: a version before 7. The end of a migration waits for earlier hosts. */
  readonly schemaVersion?: number;
  /** Fingerprints of its 3D Secure secrets. The first secret signs. */
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
    schemaVersion: Number,
    tokenSecrets: [String],
    adapters: [{ _id: false, name: String, version: String }],
  },
  { collection: 'hosts', strict: 'throw', versionKey: false, autoIndex: false },
);
// Deletes the document of a host that died when no other host was running to notice it.
schema.index({ seenAt: 1 }, { expireAfterSeconds: 86_400 });

export function hostModel(connection: Connection): Model<Host> {
  return modelFor(connection, 'Host', schema);
}
