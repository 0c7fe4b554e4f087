/** What the later calls of an attempt get, and what an adapter leaves for them: encrypted with the attempt. */
import type { Action, AdapterState, Outcome, StoredPayment } from '@gateway/contract';
import type { Attempt } from '../../documents/attempt.ts';
import type { PaymentRecord } from '../../documents/payment-request.ts';
import type { Encrypter } from '../../encryption.ts';
import { attemptFacts } from './attempt.ts';

/** Throws where what is stored was encrypted under another key. */
export function toStoredPayment(encrypter: Encrypter, record: PaymentRecord, attempt: Attempt): StoredPayment {
  const { method, providerReference, action, adapterState, endedAt } = attempt;
  return {
    ...attemptFacts(record, attempt),
    method,
    ...(providerReference !== null && { providerReference }),
    ...(action && { action: readAction(encrypter, action) }),
    ...(adapterState && { adapterState: readJson(encrypter, adapterState) as AdapterState }),
    endedAt,
  };
}

export function readAction(encrypter: Encrypter, encrypted: Uint8Array): Action {
  return readJson(encrypter, encrypted) as Action;
}

/** What we encrypted ourselves. */
function readJson(encrypter: Encrypter, encrypted: Uint8Array): unknown {
  return JSON.parse(encrypter.decrypt(encrypted).toString('utf8'));
}

/** Keeps what the outcome of a call left for later ones; where it left nothing, what an earlier one left stays. */
export function keepAdapterState(
  encrypter: Encrypter,
  record: PaymentRecord,
  n: number,
  { adapterState }: Outcome,
): PaymentRecord {
  if (adapterState === undefined) return record;
  const encrypted = encrypter.encrypt(JSON.stringify(adapterState));
  const attempts = record.attempts.map((one) => (one.n === n ? { ...one, adapterState: encrypted } : one));
  return { ...record, attempts };
}
