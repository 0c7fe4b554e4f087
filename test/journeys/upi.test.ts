import { expect } from 'chai';
import { after, before, describe } from 'mocha';
import { payer } from '../support/bodies.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import {
  waitForChargeback,
  makeDue,
  refunds,
  describeScenarios,
  type Check,
  type Scenario,
} from '../support/scenarios.ts';

const path = '/payments/h2h/31';
const body = (upiId: string, amount: number | string = 25.9) => ({
  ...payer,
  upiId,
  amount: Number(amount),
  unit: 'INR',
});
const declined = (upiResponse: string) => ({
  status: 400,
  code: 'UPI002',
  details: { upiResponse },
});
const hasAction =
  (mode: string, member?: string): Check =>
  ({ action, answer }) => {
    expect(action, answer.text).to.include({ type: 'upi', mode });
    expect(action.expiry).to.match(/Z$/);
    if (member) expect(action[member]).to.match(/^upi:\/\/pay/);
  };

const scenarios: readonly Scenario[] = [
  { title: 'is paid immediately', path, body: body('success@upi'), ends: 2, with: { paymentMethodId: 3 } },
  { title: 'is paid later, collected', path, body: body('slow@upi'), ends: 2, check: hasAction('collect') },
  {
    title: 'is paid later, by intent',
    path,
    body: body('intent@gw'),
    ends: 2,
    with: { paymentMethodId: 4 },
    check: hasAction('intent', 'link'),
  },
  {
    title: 'is paid later, by a code to scan',
    path,
    body: body('QR@gw'),
    ends: 2,
    with: { paymentMethodId: 5 },
    check: hasAction('qr', 'text'),
  },
  { title: 'is declined for a wrong PIN', path, body: body('u30@upi'), answers: declined('U30'), ends: 3 },
  { title: 'is declined as a risk', path, body: body('u16@upi'), answers: declined('U16'), ends: 3 },
  { title: 'is declined on an unbound device', path, body: body('u66@upi'), answers: declined('U66'), ends: 3 },
  { title: 'is declined for an unknown id', path, body: body('unknown@upi'), answers: declined('05'), ends: 3 },
  {
    title: 'is declined by the payer',
    path,
    body: body('u69@upi'),
    ends: 3,
    check: (_, { logs }) => expect(logs.at(-1).code).to.equal('U69'),
  },
  {
    title: 'fails later',
    path,
    body: body('slowfail@upi'),
    ends: 3,
    check: (_, { logs }) => expect(logs.at(-1).code).to.equal('51'),
  },
  { title: 'stays pending', path, body: body('stuck@upi'), acts: makeDue, ends: 1 },
  { title: 'is deemed, then paid', path, body: body('deemed@upi'), ends: 2 },
  { title: 'is deemed, then returned', path, body: body('deemedfail@upi'), ends: 3 },
  { title: 'expires', path, body: body('expire@upi'), ends: 5 },
  { title: 'is cancelled', path, body: body('cancel@upi'), ends: 3 },
  {
    title: 'is paid late',
    path,
    body: body('late@upi'),
    ends: 2,
    check: (_, { logs }) => expect(logs.length).to.equal(3),
  },
  { title: 'is charged although the answer is lost', path, body: body('lost@upi'), ends: 2 },
  { title: 'is refunded without a request', path, body: body('refund@upi'), ends: 4 },
  {
    title: 'is charged back',
    path,
    body: body('dispute@upi'),
    acts: waitForChargeback,
    ends: 2,
    with: { chargedBack: true },
  },
  { title: 'is refunded in two parts', path, body: body('success@upi'), acts: refunds(5, undefined), ends: 4 },
  {
    title: 'is refunded without success',
    path,
    body: body('success@upi', 25.58),
    async acts(payment) {
      await refunds(undefined)(payment);
      // A refund can be requested again once it is known to have failed.
      await payment.gateway.work();
    },
    ends: 2,
  },
  { title: 'is paid before it is answered', path, body: body('slow@upi', '25.55'), ends: 2 },
  { title: 'is reported out of order', path, body: body('slow@upi', '25.56'), ends: 2 },
];

describe('a UPI payment', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: ['upi'] });
  });
  after(async () => {
    await gateway.close();
    expect(gateway.logged.join('')).not.to.match(/slow@upi|u30@upi|intent@gw/);
  });
  describeScenarios(() => gateway, scenarios);
});
