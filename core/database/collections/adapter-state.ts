/**
 * Adapter states (on, draining or off): one versioned document, one entry per change, and the version that each process
 * runs.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export type AdapterStateName = 'on' | 'draining' | 'off';

/** The identity under which a provider knows an account, by mode. Absent: the adapter cannot name it. */
export interface AccountIdentity {
  readonly live?: string | readonly string[];
  readonly test?: string | readonly string[];
}

/** The ids by which the provider named an account at the latest check, by mode. Absent: no check showed one. */
export interface ReportedIds {
  readonly live?: string;
  readonly test?: string;
}

export interface AdapterStates {
  readonly _id: 'adapters';
  readonly version: number;
  readonly states: Readonly<Record<string, AdapterStateName>>;
  /**
   * The states of the config files when they were last applied. Only a file state that differs from it counts as an
   * edit.
   */
  readonly fileStates: Readonly<Record<string, AdapterStateName>>;
  /** The identities of the accounts of config at the latest start, by reference. Absent: none was stored yet. */
  readonly identities?: Readonly<Record<string, AccountIdentity>>;
  /** The ids of checks of the accounts of config, by reference. Accounts of the database have theirs themselves. */
  readonly reportedIds?: Readonly<Record<string, ReportedIds>>;
}

export interface AdapterChange {
  readonly at: Date;
  readonly version: number;
  readonly adapter: string;
  readonly from: AdapterStateName | null;
  readonly to: AdapterStateName;
  readonly by: 'file' | 'command';
  readonly reason: string;
}

/** A report of a running process, written every few seconds. */
export interface AdapterRun {
  readonly _id: string;
  readonly version: number;
  /** Why the process could not apply a newer version; empty if it could. */
  readonly problem: string;
  /** The newer version that the process could not apply; null if it runs the newest version that it knows. */
  readonly refused: number | null;
  readonly at: Date;
}

const options = { strict: 'throw', versionKey: false, autoIndex: false, minimize: false } as const;

const states = new Schema<AdapterStates>(
  {
    _id: String,
    version: Number,
    states: Schema.Types.Mixed,
    fileStates: Schema.Types.Mixed,
    identities: Schema.Types.Mixed,
    reportedIds: Schema.Types.Mixed,
  },
  { ...options, collection: 'adapterStates' },
);
const changes = new Schema<AdapterChange>(
  {
    at: Date,
    version: Number,
    adapter: String,
    from: { type: String, default: null },
    to: String,
    by: String,
    reason: String,
  },
  { ...options, collection: 'adapterChanges' },
);
changes.index({ at: -1 });
const runs = new Schema<AdapterRun>(
  { _id: String, version: Number, problem: String, refused: { type: Number, default: null }, at: Date },
  { ...options, collection: 'adapterRuns' },
);
runs.index({ at: 1 }, { expireAfterSeconds: 3600 });

export function adapterStatesModel(connection: Connection): Model<AdapterStates> {
  return modelFor(connection, 'AdapterStates', states);
}

export function adapterChangeModel(connection: Connection): Model<AdapterChange> {
  return modelFor(connection, 'AdapterChange', changes);
}

export function adapterRunModel(connection: Connection): Model<AdapterRun> {
  return modelFor(connection, 'AdapterRun', runs);
}
