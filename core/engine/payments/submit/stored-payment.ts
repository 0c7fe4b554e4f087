/** What the later calls of an attempt get, and what an adapter leaves for them: encrypted with the attempt. */
import type { Action, AdapterState, Outcome, StoredPayment } from '@paywright/contract';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { attemptContext } from '../../../database/encryption-context.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import { attemptFacts } from './attempt.ts';

/** Throws where what is stored was encrypted under another key. */
export function toStoredPayment(encrypter: Encrypter, record: PaymentRecord, attempt: Attempt): StoredPayment {
  const { method, providerReference, capture, adapterState, endedAt } = attempt;
  const action = readAction(encrypter, attempt);
  return {
    ...attemptFacts(record, attempt),
    method,
    ...(providerReference !== null && { providerReference }),
    ...(capture && { capturedAmount: capture.amount }),
    ...(action && { action }),
    ...(adapterState && {
      adapterState: readJson(encrypter.decrypt(adapterState, attemptContext(attempt, 'adapterState'))) as AdapterState,
    }),
    endedAt,
  };
}

/** The action for the payer, or null where the attempt has none. */
export function readAction(encrypter: Encrypter, attempt: Attempt): Action | null {
  if (!attempt.action) return null;
  return readJson(encrypter.decrypt(attempt.action, attemptContext(attempt, 'action'))) as Action;
}

/** To be kept with the attempt of this reference. */
export function encryptAction(
  encrypter: Encrypter,
  attempt: { readonly reference: string },
  action: Action,
): Uint8Array {
  return encrypter.encrypt(JSON.stringify(action), attemptContext(attempt, 'action'));
}

/** What we encrypted ourselves. */
function readJson(decrypted: Buffer): unknown {
  return JSON.parse(decrypted.toString('utf8'));
}

/** Keeps what the outcome of a call left for later ones; where it left nothing, what an earlier one left stays. */
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
