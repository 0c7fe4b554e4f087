/**
 * The encryption context of each encrypted member: an encrypted value can only be decrypted in the context it was made
 * for.
 */
import type { Environment } from '../base/environment.ts';
import type { EncryptionContext } from '../base/crypto/encryption.ts';

/** A member of an attempt. The attempt's reference is unique across all payment requests. */
export function attemptContext(
  { reference }: { readonly reference: string },
  member: 'action' | 'adapterState',
): EncryptionContext {
  return { collection: 'paymentRequests', id: reference, member };
}

/** The data that a payer's browser posted at the end of a step. */
export function postedContext({ reference }: { readonly reference: string }, nonce: string): EncryptionContext {
  return { collection: 'paymentRequests', id: reference, member: `steps.${nonce}.posted` };
}

export function callbackContext(rowId: string): EncryptionContext {
  return { collection: 'inbox', id: rowId, member: 'encrypted' };
}

export function answerContext(recordId: string): EncryptionContext {
  return { collection: 'idempotencyRecords', id: recordId, member: 'response' };
}

/** The options of an account that was created at run time. Its reference is never reused. */
export function accountContext(ref: string, member: 'options' | 'sandboxOptions'): EncryptionContext {
  return { collection: 'accounts', id: ref, member };
}

export function webhookSecretContext(
  ownerId: number,
  environment: Environment,
  member: 'current' | 'previous',
): EncryptionContext {
  return { collection: 'owners', id: ownerId, member: `webhookSecrets.${environment}.${member}` };
}

export const fingerprintSecretContext: EncryptionContext = {
  collection: 'secrets',
  id: 'fingerprints',
  member: 'value',
};
