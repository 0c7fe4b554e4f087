/** An answer that a test amount caused says so, at every provider whose sandbox knows the amount. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { cardBody, payer } from '../support/bodies.ts';
import { toTestPayment } from '../support/scenarios.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

const sentence =
  'The amount ends in .50: the sandbox answers with an error before it charges anything. See /docs/testing.';
const approved = '4111111111111111';
const billing = (unit: string): string => `${JSON.stringify({ ...payer, unit }).slice(0, -1)},"amount":12.50}`;

const calls = [
  ['provider-a', 11, cardBody(approved, '12.50')],
  ['provider-c', 13, cardBody(approved, '12.50')],
  ['provider-e', 14, cardBody(approved, '12.50')],
  ['provider-f', 15, billing('EUR')],
  ['provider-g', 16, cardBody(approved, '12.50')],
  ['provider-h', 17, billing('EUR')],
  ['crypto', 18, billing('EUR')],
  ['upi', 31, `${JSON.stringify({ ...payer, upiId: 'success@upi', unit: 'INR' }).slice(0, -1)},"amount":12.50}`],
  ['token', 51, `${JSON.stringify({ ...payer, token: 'tok_approved', unit: 'EUR' }).slice(0, -1)},"amount":12.50}`],
] as const;

const messagesOf = (logs: readonly { readonly message: string }[]): string[] => logs.map(({ message }) => message);

describe('an amount with a meaning for the sandbox', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: [...calls.map(([adapter]) => adapter), 'provider-b'] });
  });
  after(async () => gateway.close());

  for (const [adapter, code, body] of calls) {
    it(`explains the error of ${adapter}`, async () => {
      const answer = await gateway.post(`/payments/h2h/${code}`, body);
      expect([answer.status, answer.json.code, answer.json.message], answer.text).to.deep.equal([
        500,
        'PAY005',
        `the provider could not process the payment; nothing was charged. ${sentence}`,
      ]);
      const { logs } = await toTestPayment(gateway, answer).view();
      expect(logs.at(-1).message).to.equal(`nothing was charged: ${sentence}`);
    });
  }

  it('explains the error on the payer’s page', async () => {
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/11', cardBody(approved, '12.50')));
    const { link } = await payment.view();
    expect(await (await fetch(link)).text()).to.include('Test mode: amounts that end in .50 fail on purpose.');
  });

  it('explains the error of a provider that answers later', async () => {
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/12', cardBody(approved, '12.50')));
    const { logs } = await payment.view();
    expect(messagesOf(logs)).to.deep.equal([sentence]);
  });

  it('explains an answer that breaks off', async () => {
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/11', cardBody(approved, '12.53')));
    const { logs } = await payment.waitForStatus(2);
    expect(messagesOf(logs)).to.include(
      'The amount ends in .53: the sandbox charges the payment and then breaks off its answer. See /docs/testing.',
    );
  });

  it('does not explain an ordinary amount', async () => {
    const answer = await gateway.post('/payments/h2h/11', cardBody('4000000000000002', '12.40'));
    expect(answer.json.code, answer.text).to.equal('PAY001');
    expect(answer.text).to.not.contain('sandbox answers');
  });
});
