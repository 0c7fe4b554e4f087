/** Every member that is encrypted, each value bound to its place. */
import type { Environment } from '../base/environment.ts';
import type { Place } from '../base/crypto/encryption.ts';

/** Of an attempt, which its reference names across all payment requests. */
export function attemptPlace({ reference }: { readonly reference: string }, member: 'action' | 'adapterState'): Place {
  return { collection: 'paymentRequests', id: reference, member };
}

/** What a payer's browser posted at the end of a step. */
export function postedPlace({ reference }: { readonly reference: string }, nonce: string): Place {
  return { collection: 'paymentRequests', id: reference, member: `steps.${nonce}.posted` };
}

export function callbackPlace(rowId: string): Place {
  return { collection: 'inbox', id: rowId, member: 'encrypted' };
}

export function answerPlace(recordId: string): Place {
  return { collection: 'idempotencyRecords', id: recordId, member: 'response' };
}

export function webhookSecretPlace(ownerId: number, environment: Environment, member: 'current' | 'previous'): Place {
  return { collection: 'owners', id: ownerId, member: `webhookSecrets.${environment}.${member}` };
}

export const fingerprintSecretPlace: Place = { collection: 'secrets', id: 'fingerprints', member: 'value' };
