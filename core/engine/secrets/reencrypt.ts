/** Re-encrypts all values that are encrypted with another key than the first one, while the service runs. */
import type { Connection, mongo } from 'mongoose';
import { accountModel } from '../../database/collections/account.ts';
import type { Attempt } from '../../database/collections/attempt.ts';
import { idempotencyRecordModel } from '../../database/collections/idempotency-record.ts';
import { inboxModel } from '../../database/collections/inbox-row.ts';
import { ownerModel, type OwnerDocument } from '../../database/collections/owner.ts';
import { paymentRequestModel } from '../../database/collections/payment-request.ts';
import {
  accountContext,
  answerContext,
  attemptContext,
  callbackContext,
  fingerprintSecretContext,
  postedContext,
  webhookSecretContext,
} from '../../database/encryption-context.ts';
import { reencryptionModel } from '../../database/collections/reencryption.ts';
import { secretModel } from '../../database/collections/secret.ts';
import type { Cipher, EncryptionContext } from '../../base/crypto/encryption.ts';

export interface Progress {
  readonly collection: string;
  /** The number of values that were re-encrypted so far, in all collections. */
  readonly changed: number;
}

/** A document of one of the collections below, as the driver returns it. */
type Found = mongo.Document & { readonly _id: string | number; readonly version?: number };

interface Value {
  /** The path of the value, with positions in lists. */
  readonly path: string;
  readonly context: EncryptionContext;
  readonly encrypted: Uint8Array;
}

interface EncryptedCollection {
  readonly modelOf: (connection: Connection) => { readonly collection: { readonly collectionName: string } };
  readonly members: readonly string[];
  readonly valuesOf: (found: Found) => readonly (Omit<Value, 'encrypted'> & { readonly encrypted: unknown })[];
}

/**
 * The collections with encrypted values, in the order of re-encryption. The secret that proves the keys is last, so
 * that no process can start without the previous key until everything is re-encrypted.
 */
const collections: readonly EncryptedCollection[] = [
  {
    modelOf: ownerModel,
    members: ['webhookSecrets'],
    valuesOf: ({ _id, webhookSecrets }) =>
      (['test', 'live'] as const).flatMap((environment) =>
        (['current', 'previous'] as const).map((member) => {
          const context = webhookSecretContext(Number(_id), environment, member);
          const encrypted = (webhookSecrets as OwnerDocument['webhookSecrets'])[environment][member];
          return { path: context.member, context, encrypted };
        }),
      ),
  },
  {
    modelOf: accountModel,
    members: ['version', 'options', 'sandboxOptions'],
    valuesOf: (found) =>
      (['options', 'sandboxOptions'] as const).map((member) => {
        return { path: member, context: accountContext(String(found._id), member), encrypted: found[member] };
      }),
  },
  {
    modelOf: paymentRequestModel,
    members: ['version', ...['reference', 'action', 'adapterState', 'steps'].map((member) => `attempts.${member}`)],
    valuesOf: ({ attempts }) => (attempts as Attempt[]).flatMap(valuesOfAttempt),
  },
  {
    modelOf: inboxModel,
    members: ['encrypted'],
    valuesOf: ({ _id, encrypted }) => [{ path: 'encrypted', context: callbackContext(String(_id)), encrypted }],
  },
  {
    modelOf: idempotencyRecordModel,
    members: ['response'],
    valuesOf: ({ _id, response }) => [{ path: 'response', context: answerContext(String(_id)), encrypted: response }],
  },
  {
    modelOf: secretModel,
    members: ['value'],
    valuesOf: ({ value }) => [{ path: 'value', context: fingerprintSecretContext, encrypted: value }],
  },
];

function valuesOfAttempt(attempt: Attempt, at: number) {
  return [
    ...(['action', 'adapterState'] as const).map((member) => {
      const encrypted = attempt[member];
      return { path: `attempts.${at}.${member}`, context: attemptContext(attempt, member), encrypted };
    }),
    ...attempt.steps.map(({ nonce, posted }, step) => {
      const context = postedContext(attempt, nonce);
      return { path: `attempts.${at}.steps.${step}.posted`, context, encrypted: posted };
    }),
  ];
}

const pageSize = 200;
const tries = 20;

/**
 * Goes through all documents until a whole pass finds nothing to re-encrypt. So it also finds values that were written
 * with an earlier key during the run. Continues where an interrupted run stopped. Returns how many values were
 * re-encrypted.
 */
export async function reencrypt(
  connection: Connection,
  cipher: Cipher,
  onProgress: (progress: Progress) => void,
): Promise<number> {
  const marks = reencryptionModel(connection);
  const mark = await marks.findById(cipher.keyId).lean();
  let changed = mark?.changed ?? 0;
  let resume = mark ?? undefined;
  for (;;) {
    const before = changed;
    const isWhole = resume === undefined;
    for (const one of collections) {
      const { collection } = one.modelOf(connection);
      const { collectionName } = collection;
      if (resume && resume.collectionName !== collectionName) continue;
      const from = resume?.after;
      resume = undefined;
      for await (const { after, count } of passThrough(connection, one, cipher, from)) {
        changed += count;
        await marks.updateOne({ _id: cipher.keyId }, { $set: { collectionName, after, changed } }, { upsert: true });
        onProgress({ collection: collectionName, changed });
      }
    }
    if (isWhole && changed === before) break;
  }
  await marks.deleteOne({ _id: cipher.keyId });
  return changed;
}

/** Yields for each page the last document that is done, and how many values of the page were re-encrypted. */
async function* passThrough(
  connection: Connection,
  { modelOf, members, valuesOf }: EncryptedCollection,
  cipher: Cipher,
  from: string | number | undefined,
): AsyncGenerator<{ readonly after: string | number; readonly count: number }> {
  const collection = connection.collection<Found>(modelOf(connection).collection.collectionName);
  const options = { promoteBuffers: true, projection: Object.fromEntries(members.map((member) => [member, 1])) };
  let after = from;
  for (;;) {
    const page = await collection
      .find(after === undefined ? {} : { _id: { $gt: after } }, options)
      .sort({ _id: 1 })
      .limit(pageSize)
      .toArray();
    const last = page.at(-1);
    if (!last) return;
    let count = 0;
    for (const found of page) count += await renew(found);
    after = last._id;
    yield { after, count };
  }

  /** Re-encrypts one document. Retries if it changed during the update, and does nothing if it was deleted. */
  async function renew(first: Found): Promise<number> {
    let found: Found | null = first;
    for (let left = tries; found && left > 0; left -= 1) {
      const old = valuesOf(found).filter(
        (value): value is Value => value.encrypted instanceof Uint8Array && !cipher.isCurrent(value.encrypted),
      );
      if (old.length === 0) return 0;
      const before = Object.fromEntries(old.map(({ path, encrypted }) => [path, encrypted]));
      const renewed = old.map(({ path, context, encrypted }) => {
        return [path, cipher.encrypt(cipher.decrypt(encrypted, context), context)] as const;
      });
      const { version } = found;
      // Another process that has read the payment writes it as a whole. The new version makes that write fail and
      // retry.
      const { matchedCount } = await collection.updateOne(
        { _id: found._id, ...(version !== undefined && { version }), ...before },
        { $set: Object.fromEntries(renewed), ...(version !== undefined && { $inc: { version: 1 } }) },
      );
      if (matchedCount === 1) return old.length;
      found = await collection.findOne({ _id: found._id }, options);
    }
    return found ? Promise.reject(new Error(`${collection.collectionName} ${found._id} kept changing`)) : 0;
  }
}
