/**
 * What the later calls of an attempt receive, and the state that an adapter keeps for them: encrypted with the attempt.
 */
import type { Action, AdapterState, Outcome, StoredPayment } from '@paywright/contract';
import { chargedAmount, hasCaptureReports, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { attemptContext } from '../../../database/encryption-context.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import { attemptFacts } from './attempt.ts';

/** Throws if the stored values were encrypted under another key. */
export function toStoredPayment(encrypter: Encrypter, record: PaymentRecord, attempt: Attempt): StoredPayment {
  const { method, providerReference, providerReferences, capture, outcome, adapterState, endedAt } = attempt;
  const action = readAction(encrypter, attempt);
  return {
    ...attemptFacts(record, attempt),
    method,
    ...(providerReference !== null && { providerReference }),
    ...(providerReferences && {
      providerReferences: Object.fromEntries(providerReferences.map(({ name, id }) => [name, id])),
    }),
    ...((capture ?? hasCaptureReports(attempt)) && { capturedAmount: capture?.amount ?? chargedAmount(attempt) }),
    ...(outcome === 'succeeded' && { isPaid: true }),
    ...(action && { action }),
    ...(adapterState && {
      adapterState: readJson(encrypter.decrypt(adapterState, attemptContext(attempt, 'adapterState'))) as AdapterState,
    }),
    endedAt,
  };
}

/** The action for the payer; null if the attempt has none. */
export function readAction(encrypter: Encrypter, attempt: Attempt): Action | null {
  if (!attempt.action) return null;
  return readJson(encrypter.decrypt(attempt.action, attemptContext(attempt, 'action'))) as Action;
}

/** Encrypts an action, to be stored with the attempt of this reference. */
export function encryptAction(
  encrypter: Encrypter,
  attempt: { readonly reference: string },
  action: Action,
): Uint8Array {
  return encrypter.encrypt(JSON.stringify(action), attemptContext(attempt, 'action'));
}

/** Reads a value that we encrypted ourselves. */
function readJson(decrypted: Buffer): unknown {
  return JSON.parse(decrypted.toString('utf8'));
}

/**
 * Keeps the state that the outcome of a call carries for later calls. If it carries none, the state of an earlier call
 * stays.
 */
export function keepAdapterState(
  encrypter: Encrypter,
  record: PaymentRecord,
  n: number,
  { adapterState }: Outcome,
): PaymentRecord {
  if (adapterState === undefined) return record;
  const text = JSON.stringify(adapterState);
  const keep = (attempt: Attempt): Attempt => {
    return { ...attempt, adapterState: encrypter.encrypt(text, attemptContext(attempt, 'adapterState')) };
  };
  const attempts = record.attempts.map((one) => (one.n === n ? keep(one) : one));
  return { ...record, attempts };
}
