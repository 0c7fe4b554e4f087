import { createCipher, createEncrypter, type Encrypter } from '../crypto/encryption.ts';

/** Returns an equal encrypter for the same number, as two processes would have. */
export function testEncrypter(seed = 1): Encrypter {
  return createEncrypter(createCipher([Buffer.alloc(32, seed).toString('base64')]), Buffer.alloc(32, seed + 1));
}
