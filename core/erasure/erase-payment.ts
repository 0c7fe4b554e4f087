/** Erases the payer's data from a payment. Amounts, times, states and ids stay. */
import type { Attempt } from '../database/collections/attempt.ts';
import type { PaymentRecord } from '../database/collections/payment-request.ts';
import { attemptContext } from '../database/encryption-context.ts';
import type { Cipher } from '../base/crypto/encryption.ts';
import type { TextEraser } from './texts.ts';

/** Ids and addresses that other systems know. */
const ids: ReadonlySet<string> = new Set([
  'linkKey',
  'reference',
  'providerReference',
  'providerReferences',
  'subReference',
  'transactionId',
  'eventId',
  'nonce',
  'createdBy',
  'operations',
  'operation',
  'seenEventIds',
  'adapter',
  'seenToken',
  'reportedBefore',
  'fetchSubjects',
]);

export const erasedClient = { name: null, email: null, address: null, phone: null, memberId: null } as const;

export function erasePayment(record: PaymentRecord, texts: TextEraser, cipher: Pick<Cipher, 'decrypt'>): PaymentRecord {
  const plain = {
    ...record,
    recipientName: null,
    notes: null,
    payerName: null,
    payerEmail: null,
    ...(record.payerPhone !== undefined && { payerPhone: '' }),
    ...(record.payerIp !== undefined && { payerIp: '' }),
    searchKeys: [],
    kycApplicantId: null,
    client: erasedClient,
    attempts: record.attempts.map((attempt) => eraseAttempt(attempt, texts, cipher)),
  };
  const { notifyUrl, ...left } = texts.eraseIn(plain, ids);
  // A notifyUrl that is not a valid URL after the erasure is removed. The merchant's default address then applies.
  return { ...left, notifyUrl: notifyUrl !== null && URL.canParse(notifyUrl) ? notifyUrl : null };
}

function eraseAttempt(attempt: Attempt, texts: TextEraser, cipher: Pick<Cipher, 'decrypt'>): Attempt {
  const { adapterState, steps } = attempt;
  return {
    ...attempt,
    // The payer's next step no longer exists.
    action: null,
    steps: steps.map((step) => ({ ...step, posted: null })),
    // Ids of the provider stay, because a refund needs them; identifiers of the payer in them are erased anyway.
    adapterState: adapterState && isAbout(adapterState, attempt, texts, cipher) ? null : adapterState,
    cardLastDigits: null,
    device: null,
    browser: null,
    osName: null,
  };
}

/** Data that cannot be decrypted any more may contain anything. */
function isAbout(state: Uint8Array, attempt: Attempt, texts: TextEraser, cipher: Pick<Cipher, 'decrypt'>): boolean {
  try {
    return texts.isIn(cipher.decrypt(state, attemptContext(attempt, 'adapterState')).toString());
  } catch {
    return true;
  }
}
