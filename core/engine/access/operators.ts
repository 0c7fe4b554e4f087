/** Creates, lists, revokes and authenticates operators' keys. They are valid on the operators' listener only. */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import {
  operatorModel,
  operatorRoles,
  type OperatorDocument,
  type OperatorRole,
} from '../../database/collections/operator.ts';
import { GatewayError, invalidField, notFound } from '../../base/errors.ts';
import { isOperatorKey, isOperatorKeyId, newOperatorKey, newOperatorKeyId, toKeyHash } from './key-text.ts';
import { createUseRecorder } from './note-use.ts';
import { createReadCache } from './read-cache.ts';

/** An authenticated operator. */
export interface Operator {
  readonly keyId: string;
  readonly name: string;
  readonly role: OperatorRole;
}

export interface SignedInOperator extends Operator {
  /** Null if the operator never signed out. */
  readonly signedOutAt: Date | null;
}

/** A new key. It is shown only once, because it cannot be read again. */
export interface CreatedOperator extends Operator {
  readonly key: string;
}

export interface NewOperator {
  readonly name: string;
  readonly role: string;
  /** Absent: the key does not expire. */
  readonly expiresAt?: Date | undefined;
}

export interface OperatorView extends Operator {
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: Date;
  /** Null: the key does not expire. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Accurate to a minute. */
  readonly lastUsedAt: Date | null;
}

export interface Operators {
  /** Throws VAL002 for an invalid name, role or expiry. */
  create(input: NewOperator): Promise<CreatedOperator>;
  /** Lists all operators, oldest first. */
  list(): Promise<OperatorView[]>;
  /** All processes refuse the key within 2 s. May be repeated. Throws NF001 for an unknown key. */
  revoke(keyId: string): Promise<void>;
  /** Throws AUTH001, with the reason and without the key. */
  authenticate(key: string): Promise<Operator>;
  /**
   * Returns the operator of a key id, for a session that started with that key. Undefined if the key is now invalid.
   */
  active(keyId: string): Promise<SignedInOperator | undefined>;
  /** Ends all sessions that started with the key before now. Takes effect in all processes within 2 s. */
  signOut(keyId: string): Promise<void>;
}

const cacheMs = 2000;
const cachedKeys = 1000;

/** Why the text is no operator's key. */
function formProblem(key: string): string {
  return key.startsWith('gk_ops_')
    ? "the operator's key is not complete: copy all of it"
    : "the key is not an operator's key: those start with gk_ops_";
}

export function createOperators({
  connection,
  now,
  log,
}: {
  readonly connection: Connection;
  readonly now: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}): Operators {
  const operators = operatorModel(connection);
  const recent = createReadCache({ read: findByHash, keepMs: cacheMs, maxEntries: cachedKeys, now });
  const recentById = createReadCache({ read: findById, keepMs: cacheMs, maxEntries: cachedKeys, now });
  const writeUse = async (_id: string, at: Date) => operators.updateOne({ _id }, { $max: { lastUsedAt: at } });
  const recordUse = createUseRecorder(writeUse, now, log);

  async function findByHash(hash: string): Promise<OperatorDocument | undefined> {
    return (await operators.findOne({ hash }).lean()) ?? undefined;
  }

  async function findById(keyId: string): Promise<OperatorDocument | undefined> {
    return (await operators.findById(keyId).lean()) ?? undefined;
  }

  return {
    async create({ name, role, expiresAt }) {
      if (name.trim() !== name || name === '' || name.length > 100) {
        throw invalidField('name', name, 'must be a name of 1 to 100 characters without space around it');
      }
      const known = operatorRoles.find((one) => one === role);
      if (!known) throw invalidField('role', role, `must be one of ${operatorRoles.join(', ')}`);
      if (expiresAt && !(expiresAt > now())) throw invalidField('expiresAt', expiresAt, 'must lie in the future');
      const key = newOperatorKey();
      const keyId = newOperatorKeyId();
      const made = { _id: keyId, hash: toKeyHash(key), name, role: known, createdAt: now() };
      await operators.create({ ...made, ...(expiresAt && { expiresAt }) });
      return { key, keyId, name, role: known };
    },

    async list() {
      const found = await operators.find().sort({ createdAt: 1, _id: 1 }).lean();
      return found.map((operator) => {
        const { createdAt, expiresAt = null, revokedAt = null, lastUsedAt = null } = operator;
        const state = stateOf(operator, now());
        return { ...toOperator(operator), state, createdAt, expiresAt, revokedAt, lastUsedAt };
      });
    },

    async revoke(keyId) {
      const still = { _id: keyId, revokedAt: { $exists: false } };
      const revoked = await operators.findOneAndUpdate(still, { revokedAt: now() }).lean();
      recentById.forget(keyId);
      if (revoked) recent.forget(revoked.hash);
      else if (!(await operators.exists({ _id: keyId }))) throw unknownKey(keyId);
    },

    async authenticate(key) {
      if (!isOperatorKey(key)) throw unauthorized(formProblem(key));
      const found = await recent.get(toKeyHash(key));
      if (!found) throw unauthorized("the operator's key is unknown");
      const state = stateOf(found, now());
      if (state === 'revoked') throw unauthorized("the operator's key was revoked");
      if (state === 'expired')
        throw unauthorized(`the operator's key expired at ${found.expiresAt?.toISOString()}: create a new key`);
      recordUse(found);
      return toOperator(found);
    },

    async active(keyId) {
      const found = await recentById.get(keyId);
      if (!found || stateOf(found, now()) !== 'active') return undefined;
      recordUse(found);
      return { ...toOperator(found), signedOutAt: found.signedOutAt ?? null };
    },

    async signOut(keyId) {
      await operators.updateOne({ _id: keyId }, { $max: { signedOutAt: now() } });
      recentById.forget(keyId);
    },
  };
}

function stateOf({ revokedAt, expiresAt }: OperatorDocument, at: Date): OperatorView['state'] {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt <= at ? 'expired' : 'active';
}

function toOperator({ _id: keyId, name, role }: OperatorDocument): Operator {
  return { keyId, name, role };
}

function unauthorized(message: string): GatewayError {
  return new GatewayError('UNAUTHORIZED', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** Repeats the id only if it has the form of an id: the caller may have passed the key itself. */
function unknownKey(keyId: string): GatewayError {
  return notFound(
    isOperatorKeyId(keyId) ? `operator's key ${keyId}` : "an operator's key of this id (op_ and 16 hex digits)",
  );
}
