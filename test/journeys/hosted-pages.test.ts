import { expect } from 'chai';
import { after, before, describe } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { cardBody, payer } from '../support/bodies.ts';
import { submitForm, openAction, postForm, press } from '../support/payer.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import {
  waitForChargeback,
  makeDue,
  refunds,
  describeScenarios,
  type Check,
  type Scenario,
  type TestPayment,
} from '../support/scenarios.ts';

const card = { c_pan: '4111111111111111', c_exp: '1230', c_cvv: '123' };
const body = (amount: number, unit: string, more: object = {}) => ({ ...payer, ...more, amount, unit });
const wallet = (local: string) => body(18.4, 'EUR', { email: `${local}@shop.example` });

describe('a payment at a page of C, D or F', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({
      adapters: ['provider-c', 'provider-d', 'provider-f'],
      config: (config) => (config.adapters['provider-c'].options.cardEntry = 'page'),
    });
  });
  after(async () => gateway.close());

  /** Pays at C's page, and returns through the form that the page gives the browser. */
  const atC =
    (choice: 'pay' | 'cancel', more: Record<string, string> = {}) =>
    async ({ action }: TestPayment) => {
      const back = await submitForm(await press(await openAction(action), 'choice', choice, { ...card, ...more }));
      expect(back.status).to.equal(303);
    };

  /** Pays at D's page, and lets the browser submit the returned form. */
  const atD =
    (choice: 'pay' | 'cancel', pan: string, second?: 'pass' | 'fail') =>
    async ({ action, id }: TestPayment) => {
      let reply = await press(await openAction(action), 'choice', choice, { pan });
      if (second) reply = await press(reply, 'choice', second);
      const location = reply.headers.get('location') ?? '';
      const back = await fetch(location, { redirect: 'manual' });
      expect(back.status, location.split('?')[0]).to.equal(303);
      expect(back.headers.get('location')).to.equal(gateway.payPage(id));
    };

  const atF =
    (choice: 'pass' | 'fail' | 'leave') =>
    async ({ action }: TestPayment) =>
      press(await openAction(action), 'choice', choice);

  const oneSuccess: Check = (_, view) => {
    const paid = view.logs.filter((log: { message: string }) => /succeeded/.test(log.message));
    expect(paid, JSON.stringify(view.logs)).to.have.length(1);
  };

  /** F stops pinging after it was informed that the deal was seen. */
  const isSeen: Check = async ({ id }) => {
    await until('informed that it was seen', async () => {
      const { items } = (await gateway.get(`/payment-requests/${id}/timeline`)).json;
      return items.some((item: Record<string, unknown>) => item['call'] === 'markSeen' && item['status'] === 204);
    });
  };

  const c = '/payments/h2h/13';
  const d = '/payments/h2h/27';
  const f = '/payments/h2h/15';
  describeScenarios(
    () => gateway,
    [
      {
        title: "is paid at C's page",
        path: c,
        body: cardBody('4111111111111111'),
        acts: atC('pay'),
        ends: 2,
        with: { paymentMethodId: 7 },
        check: oneSuccess,
      },
      { title: 'is left by the payer at C', path: c, body: cardBody('4111111111111111'), acts: atC('cancel'), ends: 3 },
      {
        title: "is declined at C's page",
        path: c,
        body: cardBody('4111111111111111'),
        acts: atC('pay', { c_pan: '4000000000009995' }),
        ends: 3,
      },
      {
        title: 'is settled later by C',
        path: c,
        body: cardBody('4111111111111111'),
        acts: atC('pay', { c_pan: '4000000000003063' }),
        ends: 2,
      },
      {
        title: 'is refunded by C without a request',
        path: c,
        body: cardBody('4111111111111111'),
        acts: atC('pay', { c_pan: '4000000000000341' }),
        ends: 4,
      },
      {
        title: 'is charged back at C',
        path: c,
        body: cardBody('4111111111111111'),
        async acts(payment) {
          await atC('pay', { c_pan: '4000000000000440' })(payment);
          await waitForChargeback(payment);
        },
        ends: 2,
        with: { chargedBack: true },
      },
      {
        title: "is paid at D's page, and reported twice",
        path: d,
        body: body(25.9, 'PT'),
        acts: atD('pay', '4111111111111111'),
        ends: 2,
        with: { unit: 'PT', transactionCurrency: 'EUR', exchangeRate: 1 },
        check: oneSuccess,
      },
      {
        title: 'is paid in yen at D',
        path: d,
        body: body(2590, 'JP'),
        acts: atD('pay', '4111111111111111'),
        ends: 2,
        with: { amount: 2590, transactionCurrency: 'JPY' },
      },
      {
        title: 'is paid in dinars at D',
        path: d,
        body: body(25.9, 'KW'),
        acts: atD('pay', '4111111111111111'),
        ends: 2,
        with: { transactionCurrency: 'KWD' },
      },
      {
        title: 'is paid with an amount of zero at D',
        path: d,
        body: body(0, 'PT'),
        acts: atD('pay', '4111111111111111'),
        ends: 2,
        with: { amount: 0, grossAmount: 0 },
      },
      {
        title: 'is refused by D for yen with decimals',
        path: d,
        body: body(25.9, 'JP'),
        answers: { status: 400, code: 'VAL002' },
        ends: null,
      },
      {
        title: 'is left by the payer at D',
        path: d,
        body: body(25.9, 'PT'),
        acts: atD('cancel', '4111111111111111'),
        ends: 3,
      },
      {
        title: 'is declined by D',
        path: d,
        body: body(25.9, 'PT'),
        acts: atD('pay', '4000000000009995'),
        ends: 3,
        check: declined('51'),
      },
      {
        title: "passes 3D Secure on D's page",
        path: d,
        body: body(25.9, 'PT'),
        acts: atD('pay', '4000000000003220', 'pass'),
        ends: 2,
      },
      {
        title: "fails 3D Secure on D's page",
        path: d,
        body: body(25.9, 'PT'),
        acts: atD('pay', '4000000000003220', 'fail'),
        ends: 3,
      },
      {
        title: 'is settled later by D, under the same id',
        path: d,
        body: body(25.9, 'PT'),
        acts: atD('pay', '4000000000003063'),
        ends: 2,
      },
      {
        title: 'is refunded by D without a request',
        path: d,
        body: body(25.9, 'PT'),
        acts: atD('pay', '4000000000000341'),
        ends: 4,
      },
      {
        title: 'is refunded in part and in full at D',
        path: d,
        body: body(25.9, 'PT'),
        async acts(payment) {
          await atD('pay', '4111111111111111')(payment);
          await payment.waitForStatus(2);
          for (const amount of ['5.58', undefined]) {
            const answer = await gateway.post(
              `/payment-requests/${payment.id}/refund`,
              amount && `{"amount":${amount}}`,
            );
            expect(answer.status, answer.text).to.equal(200);
          }
        },
        ends: 4,
      },
      { title: 'is paid at D before the answer arrives', path: d, body: body(25.55, 'PT'), ends: 2 },
      {
        title: "is paid at F's wallet",
        path: f,
        body: body(18.4, 'EUR'),
        acts: atF('pass'),
        ends: 2,
        with: { paymentMethodId: 9 },
        check: isSeen,
      },
      {
        title: "is refused at F's wallet",
        path: f,
        body: body(18.4, 'EUR'),
        acts: atF('fail'),
        ends: 3,
        check: isSeen,
      },
      { title: 'is left by the payer at F', path: f, body: body(18.4, 'EUR'), acts: atF('leave'), ends: 3 },
      { title: 'is paid by F immediately', path: f, body: wallet('instant'), ends: 2, check: isSeen },
      {
        title: 'is declined by F immediately',
        path: f,
        body: wallet('refused-51'),
        answers: { status: 400, code: 'PAY001', details: { declineCode: '51' } },
        ends: 3,
      },
      { title: 'is paid by F later', path: f, body: wallet('slow'), ends: 2 },
      { title: 'fails at F later', path: f, body: wallet('slow-fail'), ends: 3 },
      { title: 'is held by F, then settled', path: f, body: wallet('held'), ends: 2 },
      { title: 'expires at F', path: f, body: wallet('lapse'), ends: 5 },
      {
        title: 'is settled although F never answered',
        path: f,
        body: wallet('silent'),
        acts: makeDue,
        ends: 2,
        with: { isDelayedApproval: true },
        check: isSeen,
      },
      ...[53, 54, 55, 56, 57].map((cents): Scenario => {
        const title = `is settled by F although the amount ends in .${cents}`;
        const acts = cents === 53 ? makeDue : atF('pass');
        const pays = cents === 55 ? {} : { acts };
        return { title, path: f, body: body(18 + cents / 100, 'EUR'), ...pays, ends: 2, check: isSeen };
      }),
      { title: 'is refunded in full by F', path: f, body: wallet('returns'), ends: 4 },
      {
        title: 'is claimed back in full at F',
        path: f,
        body: wallet('claims'),
        acts: waitForChargeback,
        ends: 2,
        with: { chargedBack: true },
      },
      {
        title: 'is refunded in two parts at F',
        path: f,
        body: wallet('instant'),
        acts: refunds(5, undefined),
        ends: 4,
        check: isSeen,
      },
    ],
  );

  function declined(code: string): Check {
    return async ({ id }, view) => {
      expect(
        view.logs.some((log: { code: string }) => log.code === code),
        JSON.stringify(view.logs),
      ).to.equal(true);
      const again = await gateway.post(`/payment-requests/${id}/refund`, undefined);
      expect(again.json.code).to.equal('PAY004');
    };
  }

  describeScenarios(
    () => gateway,
    [
      {
        title: 'ignores an altered return and a repeated return at C',
        path: c,
        body: cardBody('4111111111111111'),
        async acts({ action }) {
          const page = await press(await openAction(action), 'choice', 'pay', card);
          const { action: back, fields } = (await page.json()) as { action: string; fields: Record<string, string> };
          const altered = await postForm(back, { ...fields, c_total: '1.00' });
          expect(altered.status).to.equal(403);
          const answers = await Promise.all([1, 2, 3].map(async () => postForm(back, fields)));
          expect(answers.map(({ status }) => status)).to.deep.equal([303, 303, 303]);
        },
        ends: 2,
        check: oneSuccess,
      },
    ],
  );
});
