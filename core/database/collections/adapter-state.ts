/** Which adapters are on, draining or off: one versioned document, an entry per change, and who runs which version. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export type AdapterStateWord = 'on' | 'draining' | 'off';

export interface AdapterStates {
  readonly _id: 'adapters';
  readonly version: number;
  readonly states: Readonly<Record<string, AdapterStateWord>>;
  /** What the config files said when they were last applied: only what differs from it is an edit. */
  readonly fileStates: Readonly<Record<string, AdapterStateWord>>;
}

export interface AdapterChange {
  readonly at: Date;
  readonly version: number;
  readonly adapter: string;
  readonly from: AdapterStateWord | null;
  readonly to: AdapterStateWord;
  readonly by: 'file' | 'command';
  readonly reason: string;
}

/** What a process reports of itself, every few seconds while it lives. */
export interface AdapterRun {
  readonly _id: string;
  readonly version: number;
  /** Why it could not take a newer version; empty: it could. */
  readonly problem: string;
  /** The newer version that it could not take; null: it runs the newest that it knows of. */
  readonly refused: number | null;
  readonly at: Date;
}

const options = { strict: 'throw', versionKey: false, autoIndex: false, minimize: false } as const;

const states = new Schema<AdapterStates>(
  { _id: String, version: Number, states: Schema.Types.Mixed, fileStates: Schema.Types.Mixed },
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
