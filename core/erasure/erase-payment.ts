/** What is left of a payment when nobody is to know whose it was: amounts, times, states and ids. */
import type { Attempt } from '../database/collections/attempt.ts';
import type { PaymentRecord } from '../database/collections/payment-request.ts';
import { attemptContext } from '../database/encryption-context.ts';
import type { Cipher } from '../base/crypto/encryption.ts';
import type { TextEraser } from './texts.ts';

/** Ids and addresses that others know these things by. */
const ids: ReadonlySet<string> = new Set([
  'linkKey',
  'reference',
  'providerReference',
  'subReference',
  'transactionId',
  'eventId',
  'nonce',
  'createdBy',
  'operations',
  'seenEventIds',
  'adapter',
  'seenToken',
  'reportedBefore',
  'fetchSubjects',
]);

export const nobody = { name: null, email: null, address: null, phone: null, memberId: null } as const;

export function erasePayment(record: PaymentRecord, texts: TextEraser, cipher: Pick<Cipher, 'decrypt'>): PaymentRecord {
  const plain = {
    ...record,
    recipientName: null,
    notes: null,
    payerName: null,
    payerEmail: null,
    kycApplicantId: null,
    client: nobody,
    attempts: record.attempts.map((attempt) => eraseAttempt(attempt, texts, cipher)),
  };
  const { notifyUrl, ...left } = texts.eraseIn(plain, ids);
  // An address that is none any more leaves the merchant's own.
  return { ...left, notifyUrl: notifyUrl !== null && URL.canParse(notifyUrl) ? notifyUrl : null };
}

function eraseAttempt(attempt: Attempt, texts: TextEraser, cipher: Pick<Cipher, 'decrypt'>): Attempt {
  const { adapterState, steps } = attempt;
  return {
    ...attempt,
    // The payer's next step: there is none any more.
    action: null,
    steps: steps.map((step) => ({ ...step, posted: null })),
    // Ids at the provider, which a refund needs; what names the payer goes all the same.
    adapterState: adapterState && isAbout(adapterState, attempt, texts, cipher) ? null : adapterState,
    cardLastDigits: null,
    device: null,
    browser: null,
    osName: null,
  };
}

/** What cannot be read any more may say anything. */
function isAbout(state: Uint8Array, attempt: Attempt, texts: TextEraser, cipher: Pick<Cipher, 'decrypt'>): boolean {
  try {
    return texts.isIn(cipher.decrypt(state, attemptContext(attempt, 'adapterState')).toString());
  } catch {
    return true;
  }
}
