/** Checks that the encryption keys of config can decrypt this database, and re-encrypts it when a key is replaced. */
export { connectEncrypted, openEncrypter, WrongKeysError } from './open-encrypter.ts';
export { reencryptBy } from './secrets-actions.ts';
export { reencrypt, type Progress } from './reencrypt.ts';
