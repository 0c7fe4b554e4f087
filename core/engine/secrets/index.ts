/** The encryption keys of config: whether they open this database, and how one key replaces another. */
export { connectEncrypted, openEncrypter, WrongKeysError } from './open-encrypter.ts';
export { reencryptBy } from './secrets-actions.ts';
export { reencrypt, type Progress } from './reencrypt.ts';
