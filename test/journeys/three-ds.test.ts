import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { cardBody, payer } from '../support/bodies.ts';
import {
  submitForm,
  completeChallenge,
  openAction,
  postForm,
  press,
  type Back,
  type Redirect,
} from '../support/payer.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { describeScenarios, toTestPayment, type TestPayment } from '../support/scenarios.ts';

const secure = '4000000000003220';
const passChallenge = async ({ action }: TestPayment) => completeChallenge(action, 'pass');
const failChallenge = async ({ action }: TestPayment) => completeChallenge(action, 'fail');

describe('3D Secure', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: ['provider-c', 'provider-g', 'token', 'adyen'] });
  });
  after(async () => gateway.close());

  for (const [provider, code] of [
    ['C', 13],
    ['G', 16],
  ] as const) {
    const path = `/payments/h2h/${code}`;
    describeScenarios(
      () => gateway,
      [
        {
          title: `succeeds with provider ${provider}`,
          path,
          body: cardBody(secure),
          acts: passChallenge,
          ends: 2,
          with: { threeDs: true, isDelayedApproval: true },
        },
        {
          title: `fails with provider ${provider}`,
          path,
          body: cardBody(secure),
          acts: failChallenge,
          ends: 3,
          with: { threeDs: true },
          async check({ id, action }) {
            // The step was completed, so the response is a success that shows the current payment.
            const resume = `/payments/creditCard/${id}?transaction3dsId=${action.transactionId}`;
            const resumed = await gateway.post(resume, cardBody(secure));
            expect([resumed.status, resumed.json.paymentRequest?.paymentRequestStatusId]).to.deep.equal([200, 3]);
            const again = await gateway.post(`/payments/creditCard/${id}`, cardBody('4111111111111111'));
            expect(again.status).to.be.oneOf([200, 400]);
          },
        },
        {
          title: `is demanded for a card that does not need it with provider ${provider}`,
          path,
          body: cardBody('4111111111111111', 25.9, { is3ds: true }),
          acts: passChallenge,
          ends: 2,
        },
        {
          title: `is skipped with provider ${provider}`,
          path,
          body: cardBody(secure, 25.9, { is3ds: false }),
          ends: 2,
          with: { threeDs: false },
        },
        {
          title: `is resumed once by the merchant with provider ${provider}`,
          path,
          body: cardBody(secure),
          async acts({ action, id }) {
            const back = (await (await press(await openAction(action), 'choice', 'pass')).json()) as Back;
            const resume = () =>
              gateway.post(`/payments/creditCard/${id}?transaction3dsId=${action.transactionId}`, cardBody(secure));
            const answers = await Promise.all([resume(), resume(), resume()]);
            expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
            const unknown = `/payments/creditCard/${id}?transaction3dsId=00000000-0000-4000-8000-000000000000`;
            expect((await gateway.post(unknown, cardBody(secure))).json.code).to.equal('NF001');
            // G completes nothing without the issuer's result, which the browser brings.
            await postForm(back.action, back.fields);
          },
          ends: 2,
          async check({ id }) {
            const { items } = (await gateway.get(`/payment-requests/${id}/timeline`)).json;
            const completed = items.filter(
              (item: TestPayment['action']) => item.kind === 'request' && item.call === 'complete',
            );
            expect(completed, JSON.stringify(completed)).to.have.length(1);
          },
        },
        {
          title: `is completed once with provider ${provider}, however often the result arrives and from wherever`,
          path,
          body: cardBody(secure),
          async acts({ action, id }) {
            const back = (await (await press(await openAction(action), 'choice', 'pass')).json()) as Back;
            const resume = `/payments/creditCard/${id}?transaction3dsId=${action.transactionId}`;
            await Promise.all([
              ...Array.from({ length: 5 }, async () => postForm(back.action, back.fields)),
              gateway.post(resume, cardBody(secure)),
              fetch(gateway.payPage(id)),
              gateway.post(resume, cardBody(secure)),
            ]);
          },
          ends: 2,
          async check({ id }, view) {
            const { items } = (await gateway.get(`/payment-requests/${id}/timeline`)).json;
            const completed = items.filter(
              (item: TestPayment['action']) => item.kind === 'request' && item.call === 'complete',
            );
            expect(completed, JSON.stringify(completed)).to.have.length(1);
            const paid = view.logs.filter(
              (log: TestPayment['action']) => log.message === 'succeeded' || /PAID|success/.test(log.message),
            );
            expect(paid).to.have.length(1);
          },
        },
      ],
    );
  }

  describeScenarios(
    () => gateway,
    [
      {
        title: 'succeeds in the first version’s format with provider C',
        path: '/payments/h2h/13',
        body: cardBody(secure, 25.9, { name: 'PAREQ Ines' }),
        async acts({ action }) {
          expect(Object.keys(action.fields)).to.deep.equal(['PaReq', 'TermUrl', 'MD']);
          await completeChallenge(action, 'pass');
        },
        ends: 2,
      },
      {
        title: 'succeeds by a method step and a challenge with provider C',
        path: '/payments/h2h/13',
        body: cardBody(secure, 25.9, { name: 'METHOD Ines' }),
        async acts({ gateway: { url }, action, id, view }) {
          expect(Object.keys(action.fields)).to.deep.equal(['threeDSMethodData']);
          const back = await submitForm(await openAction(action, 'application/json'));
          expect(back.status).to.equal(303);
          const location = back.headers.get('location') ?? '';
          expect(location).to.match(new RegExp(`^${url}/pay/${id}\\?r=[\\w-]{16}&t=`));
          const next = await findNextAction(location, view);
          expect(Object.keys(next.fields ?? {})).to.deep.equal(['creq', 'threeDSSessionData']);
          await completeChallenge(next, 'pass');
        },
        ends: 2,
      },
    ],
  );

  /** The next action of the page to which a method step returns. The page polls until the next step exists. */
  async function findNextAction(location: string, view: TestPayment['view']): Promise<Redirect> {
    const visit = async (): Promise<Redirect | undefined> => {
      const html = await (await fetch(location, { redirect: 'manual' })).text();
      const fields = [...html.matchAll(/<input\s+type="hidden"\s+name="([^"]*)"\s+value="([^"]*)"/g)];
      const [, url] = /<form id="go" method="post" action="([^"]*)"/.exec(html) ?? [];
      expect(html, 'the method step again').not.to.contain('threeDSMethodData');
      if (url === undefined) return undefined;
      const pairs = fields.map(([, name = '', value = '']) => [name, value] as const);
      return { type: 'redirect', method: 'POST', url, fields: Object.fromEntries(pairs) };
    };
    try {
      return await until('the next step exists', visit);
    } catch (error) {
      throw new Error(`no next step: ${JSON.stringify((await view()).logs)}`, { cause: error });
    }
  }

  it('leaks nothing of the result into logs or the timeline', async () => {
    const answer = await gateway.post('/payments/h2h/13', cardBody(secure));
    const { action, id, waitForStatus } = toTestPayment(gateway, answer);
    const back = (await (await press(await openAction(action), 'choice', 'pass')).json()) as Back;
    await postForm(back.action, back.fields);
    await waitForStatus(2);
    const timeline = (await gateway.get(`/payment-requests/${id}/timeline`)).text;
    for (const secret of Object.values(back.fields)) {
      expect(timeline).not.to.contain(secret);
      expect(gateway.logged.join('\n')).not.to.contain(secret);
    }
  });

  describeScenarios(
    () => gateway,
    (['pass', 'fail'] as const).map((choice) => ({
      title: `${choice === 'pass' ? 'succeeds' : 'fails'} with Adyen by the result in the return address`,
      path: '/payments/h2h/22',
      body: cardBody(secure),
      async acts({ gateway: { url }, action, id }) {
        // The payer has not returned yet: the step still waits.
        await gateway.post(`/payments/creditCard/${id}?transaction3dsId=${action.transactionId}`, cardBody(secure));
        const back = (await press(await openAction(action), 'result', choice)).headers.get('location') ?? '';
        expect(back).to.match(new RegExp(`^${url}/callbacks/3ds\\?t=[\\w-]+&redirectResult=`));
        const landed = await Promise.all([1, 2].map(async () => fetch(back, { redirect: 'manual' })));
        expect(landed.map(({ status }) => status)).to.deep.equal([303, 303]);
        const result = back.split('redirectResult=')[1]!;
        expect(gateway.logged.join('\n')).not.to.contain(result);
        expect((await gateway.get(`/payment-requests/${id}/timeline`)).text).not.to.contain(result);
      },
      ends: choice === 'pass' ? 2 : 3,
      with: { threeDs: true },
    })),
  );

  const tokenBody = (token: string, more: object = {}) => ({ ...payer, token, amount: 25.9, unit: 'EUR', ...more });
  describeScenarios(
    () => gateway,
    [
      {
        title: 'succeeds for a token by the payer’s return alone',
        path: '/payments/h2h/51',
        body: tokenBody('tok_challenge'),
        async acts({ action }) {
          const back = await press(await openAction(action), 'result', 'pass');
          expect(back.status).to.equal(303);
          await fetch(back.headers.get('location') ?? '', { redirect: 'manual' });
        },
        ends: 2,
        with: { threeDs: true, paymentMethodId: 2 },
      },
      {
        title: 'fails for a token by the payer’s return alone',
        path: '/payments/h2h/51',
        body: tokenBody('tok_challenge'),
        async acts({ action }) {
          const back = await press(await openAction(action), 'result', 'fail');
          await fetch(back.headers.get('location') ?? '', { redirect: 'manual' });
        },
        ends: 3,
      },
    ],
  );
});
