/** The keys of config, as far as they open what this database holds; and how one key follows another. */
export { connectEncrypted, openEncrypter, WrongKeysError } from './open-encrypter.ts';
export { reencryptBy } from './secrets-actions.ts';
export { reencrypt, type Progress } from './reencrypt.ts';
