import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { connectDatabase, type Database, type Patience } from '../../database/connect.ts';
import { isDuplicateKey } from '../../database/duplicate-key.ts';
import { fingerprintSecretContext } from '../../database/encryption-context.ts';
import { secretModel } from '../../database/collections/secret.ts';
import { createCipher, createEncrypter, UnknownKeyError, type Encrypter } from '../../base/crypto/encryption.ts';

/** Thrown if none of this process's keys can decrypt the database. */
export class WrongKeysError extends Error {
  override readonly name = 'WrongKeysError';
}

/**
 * Creates the encrypter of this database. The database's fingerprint secret, which is created once, also proves that
 * the keys are correct. If none of the keys can decrypt it, throws an error that says what to do.
 */
export async function openEncrypter(connection: Connection, keys: readonly string[]): Promise<Encrypter> {
  const cipher = createCipher(keys);
  const model = secretModel(connection);
  const read = async () => model.findById('fingerprints', null, { lean: true, promoteBuffers: true });
  let found = await read();
  if (!found) {
    try {
      await model.create({ _id: 'fingerprints', value: cipher.encrypt(randomBytes(32), fingerprintSecretContext) });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error; // Another process created it at the same moment.
    }
    found = await read();
  }
  if (!found) throw new Error('the secret of fingerprints was written but cannot be read: try again');
  try {
    return createEncrypter(cipher, cipher.decrypt(found.value, fingerprintSecretContext));
  } catch (cause) {
    const keyId = cause instanceof UnknownKeyError ? ` under the key ${cause.keyId}` : '';
    throw new WrongKeysError(
      `The database is encrypted${keyId}, which none of the keys of this process opens: security.encryptionKey (GATEWAY_ENCRYPTION_KEY) must hold the same keys on every host that uses the database.`,
      { cause },
    );
  }
}

/** Connects, and creates the encrypter of the database. Closes the connection if the keys cannot decrypt it. */
export async function connectEncrypted(
  uri: string,
  keys: readonly string[],
  options: { readonly log: Logger; readonly patience?: Patience },
): Promise<{ readonly database: Database; readonly encrypter: Encrypter }> {
  const database = await connectDatabase(uri, options);
  try {
    return { database, encrypter: await openEncrypter(database.connection, keys) };
  } catch (error) {
    await database.close();
    throw error;
  }
}
