import { expect } from 'chai';
import { describe, it } from 'mocha';
import { changeText, type ChangingEvent } from './change-text.ts';

const paid: ChangingEvent = {
  event: {
    kind: 'payment',
    status: 'succeeded',
    providerStatus: 'captured',
    reference: 'GW-10042-1',
    providerReference: 'P-1',
  },
  paymentRequestId: 10_042,
  state: 'applied',
  note: '',
  change: { from: 1, to: 2 },
};
const refund = { ...paid.event, kind: 'refund', subReference: 'R-1' } as const;
const nothing = { state: 'nothing', change: undefined } as const;

const texts: readonly (readonly [text: string, one: object])[] = [
  ['payment 10042: pending → paid', {}],
  ['payment 10042: refund succeeded, stays paid', { event: refund, change: { from: 2, to: 2 } }],
  ['payment 10042: payment succeeded', { change: undefined }],
  ['payment 10042: status check requested', { note: 'to be fetched' }],
  ['payment 10042: nothing new', { ...nothing, note: 'nothing new' }],
  ['payment 10042: nothing: duplicate', { ...nothing, note: 'known already' }],
  [
    'payment 10042: nothing: the adapter does not know the status “frozen”',
    { ...nothing, note: 'an unknown status', event: { ...paid.event, status: 'unknown', providerStatus: 'frozen' } },
  ],
  ['payment 10042: refused: another provider reference', { state: 'refused', note: 'another provider reference' }],
  ['unknown payment reference GW-10042-1', { state: 'waiting', note: 'no such payment is known yet' }],
  [
    'unknown payment reference P-1',
    {
      ...nothing,
      note: 'no payment of ours has its reference',
      paymentRequestId: null,
      event: { ...paid.event, reference: null },
    },
  ],
  ['payment 10042: waits to be processed', { state: 'waiting' }],
  [
    'payment 10042: waits: the payment has no such attempt yet',
    { state: 'waiting', note: 'the payment has no such attempt yet' },
  ],
];

describe('changeText', () => {
  for (const [text, members] of texts) {
    it(`says “${text}”`, () => {
      expect(changeText({ ...paid, ...members })).to.equal(text);
    });
  }
});
