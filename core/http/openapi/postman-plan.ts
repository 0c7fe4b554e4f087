/** What each request of the Postman collection needs before it runs, and what its answer must show. */
import { order } from './examples.ts';

/** A request that brings about the state that a later request needs. */
export interface SetUp {
  /** Completes "Set up: ". */
  readonly name: string;
  readonly operationId: string;
  /** Members that replace those of the operation's first example, or the whole body. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly isWhole?: true;
  /** The value of the path's `id`. */
  readonly id?: string;
  readonly check: Check;
}

/** JavaScript that runs after an answer. `json` is its body. */
export interface Check {
  readonly says: string;
  readonly script: readonly string[];
  /** The status is not always 200: the script checks what matters. */
  readonly mayFail?: true;
  /** Keeps values of the answer for later requests. */
  readonly keeps?: readonly string[];
  /** Condition under which the answer is not complete yet: the request is sent again, a few times. */
  readonly repeatsIf?: string;
}

export interface Plan {
  readonly setUps?: readonly SetUp[];
  readonly id?: string;
  /** Members that replace those of the example. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly check: Check;
  /** Variables without a value in a new collection. Without them, the request and its set-up are skipped. */
  readonly needs?: readonly FurtherVariable[];
  /** What differs for single examples of the body, by their keys. */
  readonly examples?: Readonly<Record<string, Partial<Pick<Plan, 'body' | 'check' | 'needs'>>>>;
}

/** Variables that a user sets for the last folder. */
export const furtherVariables = {
  capturingProvider: 'The code of a provider that can capture later. Without it, captures are skipped.',
  confirmingProvider: 'The code of a provider that asks for a member code. Without it, confirmations are skipped.',
  confirmingCard: 'A test card for which that provider asks for a member code.',
  memberCode: 'The member code of that card.',
  cardToken: 'A card token that your providers know. Without it, payments by card token are skipped.',
} as const;

export type FurtherVariable = keyof typeof furtherVariables;

const inAnswer = (path: string): string => `json.paymentRequest.${path}`;
const status = inAnswer('paymentRequestStatusId');
const latest = '{{paymentRequestId}}';
const keepRequest = ["pm.collectionVariables.set('paymentRequestId', String(json.paymentRequest.id));"];

function equals(says: string, actual: string, expected: string | number): Check {
  return { says, script: [`pm.expect(${actual}).to.equal(${expected});`] };
}

const isCreated: Check = { ...equals('the payment request waits for the payer', status, 0), keeps: keepRequest };
const isPaid: Check = equals('the payment is paid', status, 2);
const isPaidOrPending: Check = {
  says: 'the payment is paid or pending',
  script: [`pm.expect(${status}).to.be.oneOf([1, 2]);`],
};
const isDeclined: Check = {
  says: 'the card is declined now, or the payment is pending and declined later',
  script: [`pm.expect(json.code ?? ${status}).to.be.oneOf(['PAY001', 1]);`],
  mayFail: true,
};
const hasAction = (type: string): Check => equals(`the payer’s next step is ${type}`, 'json.action.type', `'${type}'`);

const created: SetUp = {
  name: 'create a payment request',
  operationId: 'createPaymentRequest',
  body: order,
  isWhole: true,
  check: isCreated,
};
const createdInRupees: SetUp = {
  ...created,
  name: 'create a payment request in rupees',
  body: { amount: 499, unit: 'INR' },
};
const paid: readonly SetUp[] = [
  created,
  { name: 'pay it by card', operationId: 'payByCard', id: latest, check: isPaid },
];
const authorised: SetUp = {
  name: 'authorise a card payment',
  operationId: 'payH2h',
  id: '{{capturingProvider}}',
  body: { captureDelayHours: 1 },
  check: { ...equals('the payment waits for its capture', status, 1), keeps: keepRequest },
};
const askedForCode: SetUp = {
  name: 'pay with a card that needs a member code',
  operationId: 'payH2h',
  id: '{{confirmingProvider}}',
  body: { number: '{{confirmingCard}}' },
  check: {
    ...hasAction('confirm'),
    keeps: [...keepRequest, "pm.collectionVariables.set('memberPaymentId', json.action.paymentId);"],
  },
};

/** The plan of each operation. The order is the order in which the requests of a folder run. */
const plans: Readonly<Record<string, Plan>> = {
  createPaymentRequest: { check: isCreated },
  createPaymentRequests: {
    check: {
      says: 'both entries are created',
      script: ['pm.expect(json.results.map(({ id }) => id > 0)).to.deep.equal([true, true]);'],
    },
  },
  listPaymentRequests: {
    check: { says: 'the list has payment requests', script: ['pm.expect(json.items).to.have.lengthOf.at.least(1);'] },
  },
  getPaymentRequest: {
    id: latest,
    setUps: [created],
    check: equals(
      'the answer is about this payment request',
      'String(json.id)',
      "pm.collectionVariables.get('paymentRequestId')",
    ),
  },
  getTimeline: {
    id: latest,
    setUps: paid,
    check: {
      says: 'the timeline has the call to the provider',
      script: ["pm.expect(json.items.map(({ kind }) => kind)).to.include('request');"],
    },
  },
  cancel: { id: latest, setUps: [created], check: equals('the payment request is cancelled', status, 5) },
  refund: {
    id: latest,
    setUps: paid,
    check: { says: 'everything is requested', script: [`pm.expect(${inAnswer('refundableAmount')}).to.equal(0);`] },
    examples: {
      part: {
        check: {
          says: 'the refund of 5 is requested',
          script: [`pm.expect(${inAnswer('refunds')}.map(({ amount }) => amount)).to.deep.equal([5]);`],
        },
      },
    },
  },
  payByCard: { id: latest, setUps: [created], check: isPaid, examples: { threeDs: { check: hasAction('redirect') } } },
  payByUpi: { id: latest, setUps: [createdInRupees], check: isPaidOrPending },
  payH2h: {
    check: { ...isPaidOrPending, keeps: keepRequest },
    examples: { declined: { check: isDeclined }, token: { needs: ['cardToken'], body: { token: '{{cardToken}}' } } },
  },
  listNotifications: {
    setUps: paid,
    check: {
      says: 'the list has a notification',
      script: ['pm.expect(json.items).to.have.lengthOf.at.least(1);'],
      repeatsIf: 'json.items?.length === 0',
      keeps: ["pm.collectionVariables.set('notificationId', json.items[0].id);"],
    },
  },
  resendNotification: {
    id: '{{notificationId}}',
    check: equals('it is this notification', 'json.notification.id', "pm.collectionVariables.get('notificationId')"),
  },
  resendNotifications: {
    check: { says: 'the answer counts notifications', script: ["pm.expect(json.resent).to.be.a('number');"] },
  },
  reportPayments: {
    check: { says: 'the report is a list of rows', script: ["pm.expect(json.items).to.be.an('array');"] },
  },
  capture: {
    needs: ['capturingProvider'],
    id: latest,
    setUps: [authorised],
    check: isPaidOrPending,
  },
  confirmByMemberCode: {
    needs: ['confirmingProvider', 'confirmingCard', 'memberCode'],
    id: latest,
    setUps: [askedForCode],
    body: { paymentId: '{{memberPaymentId}}', code: '{{memberCode}}' },
    check: isPaidOrPending,
  },
};

/** `payH2h11` and so on, the addresses of single providers, follow the plan of `payH2h`. */
export function planOf(operationId: string): Plan {
  const plan = plans[operationId.replace(/^payH2h\d+$/, 'payH2h')];
  if (!plan) throw new Error(`The Postman collection has no plan for the operation ${operationId}. Add one.`);
  return plan;
}

/** The position of an operation in its folder. */
export function rankOf(operationId: string): number {
  const ids = Object.keys(plans);
  return ids.indexOf(operationId.replace(/^payH2h\d+$/, 'payH2h'));
}
