import type { Connection } from 'mongoose';
import type { Actor, Audit } from '../audit/index.ts';
import type { Cipher } from '../../base/crypto/encryption.ts';
import { reencrypt, type Progress } from './reencrypt.ts';

/** Runs `reencrypt` as an audited action of an operator. */
export async function reencryptBy(
  by: Actor,
  audit: Pick<Audit, 'run'>,
  connection: Connection,
  cipher: Cipher,
  onProgress: (progress: Progress) => void,
): Promise<number> {
  const { keyId } = cipher;
  const subject = { type: 'encryption key', id: keyId };
  return audit.run(by, { act: 'secrets.reencrypt', subject }, async () => {
    const value = await reencrypt(connection, cipher, onProgress);
    return { value, after: { changed: value } };
  });
}
