/**
 * Provider A, a card acquirer: JSON, 3D Secure by redirect, four callback routes that are each proven in their own way.
 * Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import { defineAdapter, nothingCharged, statusTable, unknown } from '@gateway/contract';
import { Bounds, readMinor } from './amount.ts';
import { batch, batchWords } from './batch.ts';
import { chargeback, disputeWords } from './chargeback.ts';
import { chargeBody, chargeOutcome, declines, post, readError } from './charge.ts';
import { Options } from './options.ts';
import { refundOutcome } from './refund.ts';
import { noticeWords, refundNotice } from './callbacks/provider-a-refund.ts';
import { readStatus, statusWords } from './status.ts';
import { returnWords, threeDsReturn } from './three-ds-return.ts';

const words = {
  payment: { ...batchWords.payment, ...statusWords.payment },
  refund: { ...batchWords.refund, ...noticeWords.refund, ...statusWords.refund },
  chargeback: { ...disputeWords.chargeback, ...statusWords.chargeback },
  '3ds': returnWords['3ds'],
};

// A word counts only in the message that it belongs to: `returned` is a status answer's, and no state of a notice.
const tables = new Map<unknown, ReturnType<typeof statusTable>>([
  ['batch', statusTable(batchWords)],
  ['notice', statusTable(noticeWords)],
  ['dispute', statusTable(disputeWords)],
  ['status', statusTable(statusWords)],
]);
const anyMessage = statusTable(words);

export default defineAdapter<Options>({
  manifest: {
    name: 'provider-a',
    title: 'Provider A',
    code: 11,
    contract: '^1.0',
    inputs: ['card'],
    bounds: Bounds,
    methods: ['card', 'wallet_card'],
    currencies: 'any',
    options: Options,
    declines,
    words: {
      payment: Object.keys(words.payment),
      refund: Object.keys(words.refund),
      chargeback: Object.keys(words.chargeback),
      '3ds': Object.keys(words['3ds']),
    },
    reconcile: {
      stepsSeconds: [5, 15, 60, 300, 1800, 7200, 21_600],
      thenEverySeconds: 86_400,
      giveUpAfterSeconds: 604_800,
    },
    idempotency: 'A repetition with the same Idempotency-Key and values gets the stored answer and charges nothing.',
    console: [
      'Notifications, Address: {publicUrl}/callbacks/providerA',
      'Disputes, Address: {publicUrl}/callbacks/providerA-chargeback',
      'Refunds, Notice address: {publicUrl}/callbacks/providerA-refund',
      'Nothing to enter for 3D Secure: each charge names {publicUrl}/callbacks/providerA3ds as the way back.',
    ],
    threeDs: true,
  },

  methodOf: ({ wallet }) => (wallet ? 'wallet_card' : 'card'),

  async submit(payment, provider) {
    const { card, money, reference } = payment;
    const minor = readMinor(money);
    if (!card) return nothingCharged('A charges cards only');
    if (minor === undefined) return nothingCharged(`A cannot express the amount in ${money.currency}`);
    const body = chargeBody(payment, card, minor, provider);
    return chargeOutcome(await provider.http.send(post(provider.options, '/v1/charges', reference, body)), payment);
  },

  async complete(payment, _step, { http, options }) {
    const { reference, action, providerReference } = payment;
    const txn = providerReference ?? (action?.type === 'redirect' ? action.transactionId : undefined);
    if (txn === undefined) return unknown('no id of A to complete');
    const path = `/v1/charges/${encodeURIComponent(txn)}/complete`;
    const body = { acct: options.account, ref: reference };
    const reply = await http.send(post(options, path, `${reference}-complete`, body));
    if (reply.status === 409 && readError(reply).code === 'STEP_UP_OPEN') {
      return { outcome: 'pending', providerReference: txn, ...(action ? { action } : {}) };
    }
    // A charge under way may still end by itself.
    return reply.status === 429 ? unknown('A asks to wait') : chargeOutcome(reply, payment);
  },

  async fetchStatus(payment, provider) {
    const { http, options } = provider;
    const path = `/v1/charges/by-ref/${encodeURIComponent(payment.reference)}?acct=${options.account}`;
    const reply = await http.send({ method: 'GET', path, headers: { 'X-A-Key': options.apiKey } });
    return readStatus(reply, payment, provider.now());
  },

  async refund({ reference, providerReference: txn }, refund, { http, options }) {
    const minor = readMinor(refund.money);
    if (txn === undefined) return nothingCharged('no id of A to refund');
    if (minor === undefined) return nothingCharged(`A cannot express the amount in ${refund.money.currency}`);
    const body = {
      acct: options.account,
      ref: reference,
      refundRef: refund.reference,
      sum: { minor, cur: refund.money.currency },
      note: refund.note,
    };
    const path = `/v1/charges/${encodeURIComponent(txn)}/refunds`;
    return refundOutcome(await http.send(post(options, path, refund.reference, body)), txn, refund);
  },

  callbacks: [batch, threeDsReturn, chargeback, refundNotice],

  mapStatus: (event) => (tables.get(event.facts?.['from']) ?? anyMessage)(event),
});
