/** What operators do: one entry as an act begins and one as it ends, in a chain that shows where one was changed or removed. */
import { Schema, type Connection, type Model } from 'mongoose';
import { plain, text } from '../members.ts';
import { modelFor } from '../model.ts';

/** Who acts. */
export interface Actor {
  /**
   * `command`: an OS user at a shell; `console`: an operator in a browser; `portal`: a merchant in a browser, by the id of
   * its link; `service`: the gateway itself.
   */
  readonly type: 'command' | 'console' | 'portal' | 'service';
  readonly name: string;
  /** The host of a command, the address of a browser. */
  readonly from: string;
}

/** What an act is about. */
export interface AuditSubject {
  /** Such as `payment`. */
  readonly type: string;
  /** Names one of its type. */
  readonly id: string;
}

export interface AuditEntry {
  /** Counts from 1, without a gap. */
  readonly _id: number;
  readonly at: Date;
  readonly actor: Actor;
  /** Such as `payment.refund`. */
  readonly act: string;
  readonly subject: AuditSubject;
  /** The actor's own words; null: none were given. */
  readonly reason: string | null;
  readonly state: 'begun' | 'done' | 'failed';
  /** The entry with which the act began; null: this is the one. */
  readonly of: number | null;
  /** What was, as canonical JSON; null: nothing is said of it. Never a secret, card or payer data. */
  readonly before: string | null;
  /** What is since then, likewise. */
  readonly after: string | null;
  /** Why it failed. */
  readonly error: string | null;
  /** The hash of the entry before; empty at the first. */
  readonly previous: string;
  /** Of all other members. */
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
// Newest first, by each of the filters of a list.
schema.index({ 'subject.type': 1, 'subject.id': 1, _id: -1 });
schema.index({ 'actor.name': 1, _id: -1 });
schema.index({ act: 1, _id: -1 });
schema.index({ at: 1 });
schema.index({ of: 1 });

export function auditEntryModel(connection: Connection): Model<AuditEntry> {
  return modelFor(connection, 'AuditEntry', schema);
}
