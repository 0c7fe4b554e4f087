/**
 * The audit log of operator actions: one entry when an action starts and one when it ends. The entries form a hash
 * chain, so a changed or removed entry is detected.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import { plain, text } from '../members.ts';
import { modelFor } from '../model.ts';

/** The person or program that acts. */
export interface Actor {
  /**
   * - `command`: an OS user at a shell
   * - `console`: an operator in a browser
   * - `api`: an operator's key at the management API
   * - `portal`: a merchant in a browser, identified by the id of the portal link
   * - `service`: the gateway itself
   */
  readonly type: 'command' | 'console' | 'api' | 'portal' | 'service';
  readonly name: string;
  /** The host of a command, or the address of a browser or client. */
  readonly from: string;
}

/** The object of an action. */
export interface AuditSubject {
  /** For example `payment`. */
  readonly type: string;
  /** The id within its type. */
  readonly id: string;
}

export interface AuditEntry {
  /** Counts from 1 without a gap. */
  readonly _id: number;
  readonly at: Date;
  readonly actor: Actor;
  /** For example `payment.refund`. */
  readonly act: string;
  readonly subject: AuditSubject;
  /** The reason that the actor gave; null: none. */
  readonly reason: string | null;
  readonly state: 'begun' | 'done' | 'failed';
  /** The entry of the start of the action; null if this is the start. */
  readonly of: number | null;
  /** The state before the action as canonical JSON; null: not recorded. Never contains a secret, card or payer data. */
  readonly before: string | null;
  /** The state after the action, in the same form. */
  readonly after: string | null;
  /** Why the action failed. */
  readonly error: string | null;
  /** The hash of the previous entry; empty for the first entry. */
  readonly previous: string;
  /** The hash of all other members. */
  readonly hash: string;
}

const schema = new Schema<AuditEntry>(
  {
    _id: { type: Number, required: true },
    at: { type: Date, required: true },
    actor: new Schema<Actor>({ type: String, name: String, from: String }, plain),
    act: { type: String, required: true },
    subject: new Schema<AuditSubject>({ type: String, id: String }, plain),
    reason: text,
    state: { type: String, required: true },
    of: { type: Number, default: null },
    before: text,
    after: text,
    error: text,
    previous: { type: String, required: true },
    hash: { type: String, required: true },
  },
  { collection: 'audit', strict: 'throw', versionKey: false, autoIndex: false },
);
// One index per list filter, newest first.
schema.index({ 'subject.type': 1, 'subject.id': 1, _id: -1 });
schema.index({ 'actor.name': 1, _id: -1 });
schema.index({ act: 1, _id: -1 });
schema.index({ at: 1 });
schema.index({ of: 1 });

export function auditEntryModel(connection: Connection): Model<AuditEntry> {
  return modelFor(connection, 'AuditEntry', schema);
}

/** Identifies a state of the audit log: the number and the hash of its last entry. */
export interface AuditHead {
  readonly sequence: number;
  readonly hash: string;
}

/** Returns the last entry as it is stored. Undefined if the audit log is empty. */
export async function readAuditHead(connection: Connection): Promise<AuditHead | undefined> {
  const last = await auditEntryModel(connection).findOne({}, { hash: 1 }).sort({ _id: -1 }).lean<AuditEntry>();
  return last ? { sequence: last._id, hash: last.hash } : undefined;
}
