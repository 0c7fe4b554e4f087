import { expect } from 'chai';
import { describe, it } from 'mocha';
import { violationsOf, type Books } from './books.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- each case modifies some member of it
type Bent = any;

const notification = (sequence: number, type: string, paymentRequestStatusId: number): object => {
  const json = { id: `1-${sequence}`, sequence, type, data: { paymentRequest: { paymentRequestStatusId } } };
  return { json, body: JSON.stringify(json) };
};

/** Consistent books: paid once, a part refunded, and all three sides agree. */
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

/** The modification, and all violations that it causes. */
const faults: readonly (readonly [what: string, put: (books: Bent) => void, says: readonly string[]])[] = [
  [
    'a charge that was submitted again',
    ({ provider }) => (provider.entries[0].requests = 2),
    ['GW-1-1 was submitted 2 times'],
  ],
  [
    'a second charge that is not marked',
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
    'a refund above the charge',
    ({ provider, record }) => {
      provider.entries[1].amount = '10.5';
      record.refundedAmount = '10.5';
    },
    ['10.5 of 10 was refunded for GW-1-1'],
  ],
  [
    'a refund that we do not know of',
    ({ record }) => (record.refundedAmount = '0'),
    ['the provider refunded 4, our record says 0'],
  ],
  [
    'a charge of an attempt that we do not know of',
    ({ record }) => (record.attempts[0].reference = 'GW-1-3'),
    ['our record does not have GW-1-1'],
  ],
  ['an attempt that stays open', ({ record }) => (record.attempts[0].outcome = 'open'), ['GW-1-1 stays open']],
  ['an attempt that needs review', ({ record }) => (record.attempts[0].needsReview = true), ['GW-1-1 needs review']],
  [
    'a fetch that is never made',
    ({ record }) => (record.attempts[0].fetchesRequested = 3),
    ['a fetch of GW-1-1 stays requested'],
  ],
  [
    'a refund that stays pending',
    ({ record }) => (record.refunds[0].state = 'pending'),
    ['refund GW-1-1-R1 stays pending'],
  ],
  ['a row that is not done', ({ inbox }) => (inbox[0].state = 'waiting'), ['row e-1 of the inbox is waiting']],
  [
    'an acknowledged callback that is not kept',
    ({ provider }) => (provider.events[1].isAcknowledged = true),
    ['2 callbacks were acknowledged, 1 are stored'],
  ],
  ['a notification in the outbox', ({ record }) => record.outbox.push({}), ['1 notifications stay in the outbox']],
  [
    'a notification that is not delivered',
    ({ notifications }) => (notifications[0].state = 'waiting'),
    ['notification 1-1 is waiting'],
  ],
  [
    'a notification with different bytes',
    ({ received }) => (received[3].body += ' '),
    ['notification 1-2 arrived with two bodies'],
  ],
  [
    'a notification that never arrived',
    ({ received }) => received.shift(),
    ['the merchant received notifications 2,3 of 1,2,3'],
  ],
  [
    'a change without a notification',
    ({ record }) => record.transitions.push({ from: 2, to: 4 }),
    ['1 changes to 4, 0 times payment.refunded'],
  ],
  [
    'a merchant with an outdated status',
    ({ received }) => (received[2] = notification(3, 'payment.partially_refunded', 4)),
    ['the merchant was last notified of status 4, the payment has 2'],
  ],
  [
    'a completed key that is refused later',
    ({ requests }) => (requests[0].answers[1] = answer(400, 'PAY004', 'paid already')),
    ['pay 1: completed, then answered 400 {"code":"PAY004","message":"paid already"}'],
  ],
  [
    'a key with two outcomes',
    ({ requests }) =>
      (requests[1].answers = [answer(400, 'PAY004', 'the provider refused: no'), answer(400, 'PAY001')]),
    ['refund 1: answered PAY004 and PAY001'],
  ],
  [
    'a completed key without an effect',
    ({ record }) => (record.attempts = []),
    ['our record does not have GW-1-1', '1 requests to pay were completed, expected 0 to 0'],
  ],
  [
    'a refund without a key',
    ({ record }) => record.refunds.push({ reference: 'GW-1-1-R2', state: 'failed' }),
    ['1 requests to refund were completed, expected 2 to 2'],
  ],
];

describe('the comparison of the books of provider, gateway and merchant', () => {
  it('finds nothing after a correct payment', () => {
    expect(violationsOf(goodBooks() as Books)).to.deep.equal([]);
  });

  for (const [what, put, says] of faults) {
    it(`finds ${what}`, () => {
      const books = goodBooks();
      put(books);
      expect(violationsOf(books as Books)).to.deep.equal(says);
    });
  }
});
