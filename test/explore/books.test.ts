import { expect } from 'chai';
import { describe, it } from 'mocha';
import { violationsOf, type Books } from './books.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- each case bends some member of it
type Bent = any;

const notification = (sequence: number, type: string, paymentRequestStatusId: number): object => {
  const json = { id: `1-${sequence}`, sequence, type, data: { paymentRequest: { paymentRequestStatusId } } };
  return { json, body: JSON.stringify(json) };
};

/** Paid once, a part of it given back, and everybody knows: as it should be. */
function goodBooks(): Bent {
  return {
    provider: {
      entries: [
        { kind: 'charge', reference: 'GW-1-1', charge: 'GW-1-1', amount: '10', requests: 1, state: 'succeeded' },
        { kind: 'refund', reference: 'GW-1-1-R1', charge: 'GW-1-1', amount: '4', requests: 2, state: 'succeeded' },
      ],
      events: [{ isAcknowledged: true }, { isAcknowledged: false }],
    },
    record: {
      statusId: 2,
      refundedAmount: '4',
      logs: [{ code: '' }],
      attempts: [
        {
          reference: 'GW-1-1',
          outcome: 'succeeded',
          needsReview: false,
          nothingCharged: false,
          fetchesRequested: 2,
          fetchesDone: 2,
        },
      ],
      refunds: [{ reference: 'GW-1-1-R1', state: 'succeeded' }],
      outbox: [],
      sequence: 3,
      transitions: [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
      ],
    },
    inbox: [{ _id: 'e-1', state: 'done' }],
    notifications: [{ _id: '1-1', state: 'delivered' }],
    received: [
      notification(1, 'payment.pending', 1),
      notification(2, 'payment.succeeded', 2),
      notification(3, 'payment.partially_refunded', 2),
      notification(2, 'payment.succeeded', 2),
    ],
    requests: [
      { key: 'pay 1', answers: [answer(200), answer(200)] },
      { key: 'refund 1', answers: [answer(200)] },
    ],
    attemptsBefore: 0,
  };
}

const answer = (status: number, code = '', message = ''): object => ({
  status,
  text: JSON.stringify(status === 200 ? { paymentRequestStatusId: 2 } : { code, message }),
});

const secondCharge = { reference: 'GW-1-2', charge: 'GW-1-2', kind: 'charge', amount: '10', requests: 1 };

/** What is put in, and all that is said of it. */
const faults: readonly (readonly [what: string, put: (books: Bent) => void, says: readonly string[]])[] = [
  [
    'a charge that was submitted again',
    ({ provider }) => (provider.entries[0].requests = 2),
    ['GW-1-1 was submitted 2 times'],
  ],
  [
    'a second charge that nobody marked',
    ({ provider, record }) => {
      provider.entries.push({ ...secondCharge, state: 'succeeded' });
      record.attempts.push({ ...record.attempts[0], reference: 'GW-1-2', nothingCharged: true });
    },
    ['charged 2 times without DOUBLE_CHARGE'],
  ],
  [
    'a payment that is paid and was never charged',
    ({ provider }) => {
      provider.entries = [];
    },
    ['status 2, and the provider charged 0 times'],
  ],
  [
    'a charge of a payment that is not paid',
    ({ record, received, provider }) => {
      record.statusId = 1;
      record.transitions.pop();
      received.splice(1, 3, notification(2, 'payment.pending', 1), notification(3, 'payment.pending', 1));
      provider.events.pop();
    },
    ['status 1, and the provider charged 1 times'],
  ],
  [
    'more given back than was charged',
    ({ provider, record }) => {
      provider.entries[1].amount = '10.5';
      record.refundedAmount = '10.5';
    },
    ['10.5 of 10 was given back of GW-1-1'],
  ],
  [
    'a refund that we do not know of',
    ({ record }) => (record.refundedAmount = '0'),
    ['the provider gave back 4, we say 0'],
  ],
  [
    'a charge of an attempt that we do not know of',
    ({ record }) => (record.attempts[0].reference = 'GW-1-3'),
    ['nobody knows of GW-1-1'],
  ],
  ['an attempt without an end', ({ record }) => (record.attempts[0].outcome = 'open'), ['GW-1-1 stays open']],
  ['an attempt that needs review', ({ record }) => (record.attempts[0].needsReview = true), ['GW-1-1 needs review']],
  [
    'a fetch that nobody makes',
    ({ record }) => (record.attempts[0].fetchesRequested = 3),
    ['a fetch of GW-1-1 stays requested'],
  ],
  [
    'a refund without an end',
    ({ record }) => (record.refunds[0].state = 'pending'),
    ['refund GW-1-1-R1 stays pending'],
  ],
  ['a row that is not done', ({ inbox }) => (inbox[0].state = 'waiting'), ['row e-1 of the inbox is waiting']],
  [
    'an acknowledged callback that is not kept',
    ({ provider }) => (provider.events[1].isAcknowledged = true),
    ['2 callbacks were acknowledged, 1 are kept'],
  ],
  ['a notification in the outbox', ({ record }) => record.outbox.push({}), ['1 notifications stay in the outbox']],
  [
    'a notification that is not delivered',
    ({ notifications }) => (notifications[0].state = 'waiting'),
    ['notification 1-1 is waiting'],
  ],
  [
    'a notification with other bytes',
    ({ received }) => (received[3].body += ' '),
    ['notification 1-2 came with two bodies'],
  ],
  [
    'a notification that never came',
    ({ received }) => received.shift(),
    ['the merchant has notifications 2,3 of 1,2,3'],
  ],
  [
    'a change that nobody was notified of',
    ({ record }) => record.transitions.push({ from: 2, to: 4 }),
    ['1 changes to 4, 0 times payment.refunded'],
  ],
  [
    'a merchant that believes something else',
    ({ received }) => (received[2] = notification(3, 'payment.partially_refunded', 4)),
    ['the merchant believes 4, it is 2'],
  ],
  [
    'a key that was done, and is then refused',
    ({ requests }) => (requests[0].answers[1] = answer(400, 'PAY004', 'paid already')),
    ['pay 1: done, and then answered 400 {"code":"PAY004","message":"paid already"}'],
  ],
  [
    'a key with two outcomes',
    ({ requests }) =>
      (requests[1].answers = [answer(400, 'PAY004', 'the provider refused: no'), answer(400, 'PAY001')]),
    ['refund 1: answered PAY004 and PAY001'],
  ],
  [
    'a key under which nothing was done',
    ({ record }) => (record.attempts = []),
    ['nobody knows of GW-1-1', '1 requests to pay were done, there are 0 to 0'],
  ],
  [
    'a refund that no key asked for',
    ({ record }) => record.refunds.push({ reference: 'GW-1-1-R2', state: 'failed' }),
    ['1 requests to refund were done, there are 2 to 2'],
  ],
];

describe('the books of provider, gateway and merchant', () => {
  it('agree where all is as it should be', () => {
    expect(violationsOf(goodBooks() as Books)).to.deep.equal([]);
  });

  for (const [what, put, says] of faults) {
    it(`show ${what}`, () => {
      const books = goodBooks();
      put(books);
      expect(violationsOf(books as Books)).to.deep.equal(says);
    });
  }
});
