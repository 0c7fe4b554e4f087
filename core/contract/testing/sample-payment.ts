/** One ordinary card payment as a start for tests of adapters: 25.90 EUR, first attempt of payment request 10042. */
import type { InputKind, StoredPayment, Submission } from '../payment.ts';

/** A submission of any way to pay: no field of the payer is certain, because a way may list none. */
export type AnySubmission = Submission<InputKind, never>;

const facts = {
  paymentRequestId: '10042',
  attempt: 1,
  reference: 'GW-10042-1',
  money: { amount: '25.9', currency: 'EUR' },
  unit: 'EUR',
  sandbox: false,
  isH2h: true,
} as const;

/**
 * The submission, with a card whose number every sandbox approves; without `browserInfo`, `wallet` and demands for 3D
 * Secure.
 */
export const sampleSubmission = {
  ...facts,
  input: 'card',
  payer: {
    name: 'Ines Duarte',
    email: 'ines.duarte@shop.example',
    phoneNumber: '+351912345678',
    address: 'Rua Augusta 12',
    city: 'Lisboa',
    state: 'LX',
    postalCode: '1100-053',
    country: 'PT',
    ipAddress: null,
  },
  card: { number: '4111111111111111', expiration: '03/31', expiryMonth: '03', expiryYear: '2031', cvv: '737' },
} as const satisfies Submission<'card'>;

const { card, input: _input, ...cardless } = sampleSubmission;
const inputMembers = { card: { card }, billing: {}, token: { token: 'tok_1' }, upi: { upiId: 'asha@okbank' } };

/** The same payment with another input: a token, a UPI id, or no payment data. */
export function sampleSubmissionBy<I extends InputKind>(input: I): Submission<I> {
  return { ...cardless, input, ...inputMembers[input] } as unknown as Submission<I>;
}

/** Core's name for the first release of that payment. */
export const firstVoid = { reference: 'GW-10042-1-V' } as const;

/** The other members of a refund that is asked for the first time. */
export const firstRefund = { note: null, refundedSoFar: '0', isRepetition: false } as const;

/** The same payment as the later calls get it; its submission ended a minute before `now`. */
export function sampleStored(providerReference: string, now: Date): StoredPayment {
  return { ...facts, method: 'card', providerReference, endedAt: new Date(now.getTime() - 60_000) };
}
