/**
 * Provider G, a card acquirer: the content of every body lies in an AES-GCM box, every request and callback is signed
 * with RSA under a key that its serial names, 3D Secure by a challenge form. Protocol: README.md; signed samples:
 * fixtures/vectors.json.
 */
import { defineAdapter, nothingCharged, readMinor, statusTable } from '@gateway/contract';
import { Bounds } from './bounds.ts';
import { callback } from './callback.ts';
import { chargeOutcome, chargeText } from './charge.ts';
import { completeCharge } from './complete.ts';
import { keyFetch } from './keys.ts';
import { Options } from './options.ts';
import { refundFacts, refundOutcome, refundText } from './refund.ts';
import { get, post } from './request.ts';
import { readStatus } from './status.ts';
import { declines, MAX_DIGITS, words } from './words.ts';

export default defineAdapter<Options>({
  manifest: {
    name: 'provider-g',
    title: 'Provider G',
    code: 16,
    contract: '^1.0',
    inputs: ['card'],
    bounds: Bounds,
    methods: ['card'],
    currencies: 'any',
    options: Options,
    declines,
    words: {
      payment: Object.keys(words.payment),
      refund: Object.keys(words.refund),
      chargeback: Object.keys(words.chargeback),
    },
    reconcile: {
      stepsSeconds: [5, 15, 60, 300, 1800, 7200, 21_600],
      thenEverySeconds: 86_400,
      giveUpAfterSeconds: 604_800,
    },
    idempotency: 'A repetition of the same ref, amount and card is answered as the charge stands and charges nothing.',
    console: [
      'Notifications, Address: {publicUrl}/callbacks/providerG. G probes it at once, then daily.',
      'Nothing to enter for 3D Secure: each charge names {publicUrl}/callbacks/3ds.',
    ],
    threeDs: true,
  },

  async submit(payment, provider) {
    const { card, money, reference } = payment;
    const minor = readMinor(money, MAX_DIGITS);
    if (!card) return nothingCharged('G charges cards only');
    if (minor === undefined) return nothingCharged(`G cannot express the amount in ${money.currency}`);
    const request = post('/v1/charges', reference, chargeText(payment, card, minor, provider), provider);
    return chargeOutcome(await provider.http.send(request), payment, provider);
  },

  complete: completeCharge,

  async fetchStatus(payment, provider) {
    const path = `/v1/charges?ref=${encodeURIComponent(payment.reference)}`;
    return readStatus(await provider.http.send(get(path, provider)), payment, provider);
  },

  async refund(payment, refund, provider) {
    const { providerReference: txn } = payment;
    const { currency } = refund.money;
    const minor = readMinor(refund.money, MAX_DIGITS);
    if (txn === undefined) return nothingCharged('no id of G to refund');
    if (minor === undefined) return nothingCharged(`G cannot express the amount in ${currency}`);
    const asked = refundFacts(payment, txn, minor, currency);
    const path = `/v1/charges/${encodeURIComponent(txn)}/refunds`;
    const request = post(path, refund.reference, refundText(asked, provider.options), provider);
    return refundOutcome(await provider.http.send(request), asked, refund, provider);
  },

  callbacks: [callback],

  mapStatus: statusTable(words),
});

/** G's own call, which its vectors name: a public key by its serial. */
export const vectorCalls = { keyFetch };
