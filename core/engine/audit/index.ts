/**
 * The audit log: which operator did what, from where, with the state before and after. Each action is recorded before
 * it starts, so that no action is missing, and once more with its result. Entries are never removed.
 */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import {
  auditEntryModel,
  type Actor,
  type AuditEntry,
  type AuditSubject,
} from '../../database/collections/audit-entry.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import { GatewayError } from '../../base/errors.ts';
import { maskText } from '../../base/log/log-masks.ts';
import type { ActionName } from './audit-actions.ts';
import { actorName } from './audit-sentence.ts';
import type { AuditView } from './audit-view.ts';
import { canonicalJson } from './canonical-json.ts';
import { createChain, type Chain } from './chain.ts';

export type { Actor, AuditSubject } from '../../database/collections/audit-entry.ts';
export { auditedActions, isActionName, type ActionName } from './audit-actions.ts';
export { actorName, auditSentence, auditText, readSubject, subjectText, type SentencePart } from './audit-sentence.ts';
export type { AuditView } from './audit-view.ts';
export type { Head, Verified } from './chain.ts';

/** An action that an operator starts. */
export interface AuditedAction {
  readonly act: ActionName;
  readonly subject: AuditSubject;
  /** The reason, in the actor's own words. */
  readonly reason?: string | undefined;
  /** Facts to record even if the action never ends, such as an amount. */
  readonly plan?: unknown;
}

/** The result of an action. It contains only what the action changed, and never a secret, card or payer data. */
export interface Effect<T> {
  readonly value: T;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface AuditQuery {
  readonly act?: ActionName;
  readonly subject?: AuditSubject;
  /** The actor's name, with or without the key that follows it in brackets. */
  readonly by?: string;
  readonly since?: Date;
  /** Exclusive end. */
  readonly until?: Date;
  /** Only entries before this number, for the next page. */
  readonly before?: number;
  readonly limit: number;
}

export interface Audit extends Pick<Chain, 'verify'> {
  /** The names of everyone who acted, as a filter takes them: without the id of a key. */
  people(): Promise<readonly string[]>;
  /** Runs the work as an action of the actor. Rejects like the work, and if the action cannot be recorded. */
  run<T>(by: Actor, action: AuditedAction, work: () => Promise<Effect<T>>): Promise<T>;
  /** Lists actions, newest first. */
  list(query: AuditQuery): Promise<{ readonly items: readonly AuditView[]; readonly nextBefore: number | null }>;
}

export interface AuditDeps {
  readonly connection: Connection;
  readonly encrypter: Pick<Encrypter, 'fingerprint'>;
  readonly now: () => Date;
  readonly log: Pick<Logger, 'info' | 'error'>;
}

const longestText = 2000;

export function createAudit({ connection, encrypter, now, log }: AuditDeps): Audit {
  const chain = createChain(connection, encrypter);
  const model = auditEntryModel(connection);

  async function write(
    by: Actor,
    { act, subject, reason }: AuditedAction,
    members: Pick<AuditEntry, 'state' | 'of'> &
      Partial<Record<'before' | 'after', unknown>> & { readonly error?: string },
  ): Promise<AuditEntry> {
    const { before, after, error = null, ...rest } = members;
    const { type, name, from } = by;
    const entry = await chain.append({
      at: now(),
      actor: { type, name: asStored(name), from: asStored(from) },
      act,
      subject: { type: subject.type, id: asStored(subject.id) },
      reason: reason === undefined ? null : asStored(maskText(reason)),
      ...rest,
      before: toText(before),
      after: toText(after),
      error: error === null ? null : asStored(error),
    });
    // The action is logged too, because a person who can change the database may not be able to change the log.
    const { _id: sequence, hash, state } = entry;
    log.info({ audit: sequence, hash, act, state, actor: by, subject }, 'an operator acted');
    return entry;
  }

  /** The number of the first entry at or after a time. Null: there is none. Undefined: no time is given. */
  async function firstSince(since: Date | undefined): Promise<Pick<AuditEntry, '_id'> | null | undefined> {
    if (!since) return undefined;
    return model
      .findOne({ at: { $gte: since } }, { _id: 1 })
      .sort({ at: 1 })
      .lean<Pick<AuditEntry, '_id'>>();
  }

  async function withoutEndedStarts(found: readonly AuditEntry[]): Promise<readonly AuditEntry[]> {
    const begun = found.filter(({ state }) => state === 'begun').map(({ _id }) => _id);
    const ends = await model.find({ of: { $in: begun } }, { of: 1 }).lean<Pick<AuditEntry, 'of'>[]>();
    const ended = new Set(ends.map(({ of }) => of));
    return found.filter(({ _id }) => !ended.has(_id));
  }

  return {
    verify: async (options) => chain.verify(options),

    async run(by, action, work) {
      const { _id: of } = await write(by, action, { state: 'begun', of: null, after: action.plan });
      const end = async (members: Parameters<typeof write>[2]): Promise<void> => {
        await write(by, action, members).catch((error: unknown) => {
          // The action is done and stays done. The entry of its start proves that it was started.
          log.error({ err: error, audit: of }, 'the end of an action could not be recorded');
        });
      };
      let effect;
      try {
        effect = await work();
      } catch (error) {
        await end({ state: 'failed', of, error: reasonOf(error) });
        throw error;
      }
      const { value, before, after } = effect;
      await end({ state: 'done', of, before, after });
      return value;
    },

    async people() {
      const names: string[] = await model.distinct('actor.name');
      const plain = names.map((name) => actorName({ actor: { type: 'console', name } }));
      return [...new Set(plain)].toSorted((one, other) => one.localeCompare(other));
    },

    async list({ act, subject, by, since, until, before, limit }) {
      const [first, end] = [await firstSince(since), await firstSince(until)];
      if (first === null) return { items: [], nextBefore: null };
      const top = Math.min(before ?? Infinity, end?._id ?? Infinity);
      const which = {
        ...(act && { act }),
        ...(subject && { 'subject.type': subject.type, 'subject.id': subject.id }),
        ...(by !== undefined && { 'actor.name': { $in: [by, withKey(by)] } }),
      };
      const items: AuditView[] = [];
      // An action that ended has two entries. More is read until the page is full.
      for (let below = top; ;) {
        const sequence = { ...(first && { $gte: first._id }), ...(below < Infinity && { $lt: below }) };
        const found = await model
          .find({ ...(Object.keys(sequence).length > 0 && { _id: sequence }), ...which })
          .sort({ _id: -1 })
          .limit(limit)
          .lean<AuditEntry[]>();
        for (const entry of await withoutEndedStarts(found)) {
          items.push(present(entry));
          if (items.length === limit) return { items, nextBefore: entry._id };
        }
        const last = found.at(-1);
        if (!last || found.length < limit) return { items, nextBefore: null };
        below = last._id;
      }
    },
  };
}

/** Returns the members that differ before and after an action. */
export function changesOf<T extends object>(before: T, after: T): { before: Partial<T>; after: Partial<T> } {
  const differing = (Object.keys({ ...before, ...after }) as (keyof T)[]).filter(
    (name) => canonicalJson(before[name]) !== canonicalJson(after[name]),
  );
  const pick = (value: T): Partial<T> => Object.fromEntries(differing.map((name) => [name, value[name]])) as Partial<T>;
  return { before: pick(before), after: pick(after) };
}

/** Returns the name of an actor as the console writes it: `Ada (op_…)`. */
function withKey(name: string): RegExp {
  const plain = name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(String.raw`^${plain} \((op_[\da-f]{16}|single sign-on)\)$`);
}

/** Replaces characters that UTF-8 cannot encode, because they would be read back differently from what was hashed. */
function asStored(text: string): string {
  return Buffer.from(text.slice(0, longestText)).toString();
}

function toText(value: unknown): string | null {
  return value === undefined ? null : canonicalJson(value);
}

/** The message of a gateway error may be shown. Other messages may contain anything. */
function reasonOf(error: unknown): string {
  if (error instanceof GatewayError) return error.message;
  return error instanceof Error ? maskText(error.message || error.name) : 'it failed';
}

function present(entry: AuditEntry): AuditView {
  const { _id: sequence, at, actor, act, subject, reason, state, error, hash } = entry;
  const [before, after] = [fromText(entry.before), fromText(entry.after)];
  return { sequence, at, actor, act, subject, reason, state, before, after, error, hash };
}

function fromText(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
