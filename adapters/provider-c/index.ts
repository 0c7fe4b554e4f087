/**
 * Provider C, a card acquirer that speaks in forms: a payment is a form posted server to server, or one that the payer's
 * browser posts to C's hosted page; answers and callbacks are forms too. Protocol: README.md; signed samples:
 * fixtures/vectors.json.
 */
import { defineAdapter, noNews, nothingCharged, statusTable, unknown } from '@gateway/contract';
import { paymentOutcome } from './answer.ts';
import { findFields, readFind } from './find.ts';
import { post } from './wire.ts';
import { accountIn, Options } from './options.ts';
import { pageReturn } from './callbacks/provider-chp.ts';
import { pageAction, paymentFields } from './payment.ts';
import { refundFields, refundOutcome } from './refund.ts';
import { serverForm } from './callbacks/provider-c.ts';
import { completeFields } from './three-ds.ts';
import { Bounds, fitsTotal } from './total.ts';
import { callbackWords, declines, findWords } from './words.ts';

const toldByCallback = statusTable(callbackWords);
const toldByFind = statusTable(findWords);

export default defineAdapter<Options>({
  manifest: {
    name: 'provider-c',
    title: 'Provider C',
    code: 13,
    contract: '^1.0',
    inputs: ['card'],
    bounds: Bounds,
    methods: ['card', 'hosted_page', 'wallet_card'],
    currencies: ({ accounts }) => accounts.map(({ currency }) => currency),
    options: Options,
    declines,
    words: {
      payment: Object.keys(findWords.payment),
      refund: [...Object.keys(callbackWords.refund), ...Object.keys(findWords.refund)],
      chargeback: [...Object.keys(callbackWords.chargeback), ...Object.keys(findWords.chargeback)],
    },
    reconcile: {
      // The fifth question comes when an abandoned challenge has ended (15 minutes), the sixth when a page has (30).
      stepsSeconds: [5, 15, 60, 300, 600, 900, 3600, 21_600],
      thenEverySeconds: 86_400,
      giveUpAfterSeconds: 604_800,
    },
    idempotency:
      'A repetition with the same c_ref, total and card is answered as the payment stands and charges nothing.',
    console: [
      'Accounts, Hosts: the host of {publicUrl}. C takes no other in the addresses that come with a payment.',
      'Nothing more to enter: each payment names {publicUrl}/callbacks/providerC, …/providerChp and …/3ds.',
    ],
    threeDs: true,
  },

  /** At C's page the merchant's card is not used, nor is a wallet. */
  methodOf({ card, wallet }, { cardEntry }) {
    if (!card || cardEntry === 'page') return 'hosted_page';
    return wallet ? 'wallet_card' : 'card';
  },

  /** Two ways to pay: we post the card, or the payer's browser posts a form of ours and the payer types the card at C. */
  async submit(payment, provider) {
    const { card, money } = payment;
    const { http, options } = provider;
    const account = accountIn(money.currency, options);
    if (!account) return nothingCharged(`no account in ${money.currency}: add one to accounts`);
    if (!fitsTotal(money)) return nothingCharged(`C cannot express the amount in ${money.currency}`);
    if (!card || options.cardEntry === 'page') {
      return { outcome: 'pending', action: pageAction(payment, account, provider) };
    }
    const reply = await http.send(post('/v1/payments', paymentFields(payment, card, account, provider)));
    return paymentOutcome(reply, payment, account, provider);
  },

  /** The issuer's page is done with: C asks the issuer what came of it, and charges. */
  async complete(payment, step, provider) {
    const account = accountIn(payment.money.currency, provider.options);
    const fields = account && completeFields(payment, step, account);
    if (!account || !fields) return unknown('no 3D Secure step to complete');
    const reply = await provider.http.send(post('/v1/payments/complete', fields));
    // The payer is through: a charge under way may still end by itself.
    return reply.status === 429 ? unknown('C asks to wait') : paymentOutcome(reply, payment, account, provider);
  },

  /** C registers a payment before it charges it: what it does not find was not charged. */
  async fetchStatus(payment, provider) {
    const account = accountIn(payment.money.currency, provider.options);
    if (!account) return noNews(`no account in ${payment.money.currency}`);
    const reply = await provider.http.send(post('/v1/payments/find', findFields(payment, account)));
    return readFind(reply, payment, account, provider);
  },

  /** Answered at once, and told once more by callback. */
  async refund(payment, refund, { http, options }) {
    const { money } = refund;
    const { providerReference: id } = payment;
    const account = accountIn(money.currency, options);
    if (!account) return nothingCharged(`no account in ${money.currency}: add one to accounts`);
    if (id === undefined) return nothingCharged('no id of C to refund');
    if (!fitsTotal(money)) return nothingCharged(`C cannot express the amount in ${money.currency}`);
    const reply = await http.send(post('/v1/refunds', refundFields(payment, id, refund, account)));
    return refundOutcome(reply, payment, refund, account);
  },

  // One event comes on two ways, in any order: C's server posts it, and the payer's browser brings it back.
  callbacks: [serverForm, pageReturn],

  // `challenge` and `no_such_payment` are words of a find, and none of a callback.
  mapStatus: (event) => (event.facts?.['from'] === 'callback' ? toldByCallback : toldByFind)(event),
});
