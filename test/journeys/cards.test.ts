import { expect } from 'chai';
import { after, before, describe } from 'mocha';
import { cardBody } from '../support/bodies.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import {
  waitForChargeback,
  makeDue,
  refunds,
  describeScenarios,
  type Check,
  type Scenario,
} from '../support/scenarios.ts';

const e = 'provider-e';
const families = [
  { name: 'A', adapter: 'provider-a', code: 11, later: false },
  { name: 'B', adapter: 'provider-b', code: 12, later: true },
  { name: 'C', adapter: 'provider-c', code: 13, later: false },
  { name: 'E, host to host', adapter: e, code: 14, later: false },
  { name: 'G', adapter: 'provider-g', code: 16, later: false },
] as const;

const number = '4111111111111111';
const declined = (code: string) => ({ status: 400, code: 'PAY001', details: { declineCode: code } });
const paidOnce: Check = (_, view) => {
  const paid = view.logs.filter((log: { transactionStatusId: number; code: string }) => log.transactionStatusId === 2);
  expect(paid.length, JSON.stringify(view.logs)).to.be.greaterThan(0);
  expect(view.logs.some((log: { code: string }) => log.code === 'DOUBLE_CHARGE')).to.equal(false);
};

/** Scenarios that every card provider's sandbox supports. `later`: the provider decides only by callback. */
function scenarios(path: string, later: boolean, wrap: (body: string) => unknown): Scenario[] {
  const answers = (code: string) => (later && code !== '54' ? {} : { answers: declined(code) });
  return [
    { title: 'approves', path, body: wrap(cardBody(number)), ends: 2, with: { grossAmount: 25.9, cardBin: '411111' } },
    { title: 'approves nothing', path, body: wrap(cardBody(number, 0)), ends: 2, with: { grossAmount: 0 } },
    {
      title: 'approves yen',
      path,
      body: wrap(cardBody(number, 2590, { unit: 'JPY' })),
      ends: 2,
      with: { grossAmount: 2590 },
    },
    ...['05 0002', '51 9995', '54 0069', '57 0127', '61 0259'].map((line): Scenario => {
      const [code = '', last = ''] = line.split(' ');
      return {
        title: `declines ${code}`,
        path,
        body: wrap(cardBody(`400000000000${last}`)),
        ...answers(code),
        ends: 3,
        check(_, view) {
          expect(view.logs.at(-1)).to.include({ transactionStatusId: 3, code });
        },
      };
    }),
    {
      title: 'approves later',
      path,
      body: wrap(cardBody('4000000000003063')),
      ends: 2,
      with: { isDelayedApproval: true },
    },
    { title: 'declines later', path, body: wrap(cardBody('4000000000003089')), ends: 3 },
    {
      title: 'charges although its answer is lost',
      path,
      body: wrap(cardBody('4000000000006975')),
      ends: 2,
      check: paidOnce,
    },
    {
      title: 'fails before any charge',
      path,
      body: wrap(cardBody(number, 10.5)),
      ...(later ? { acts: makeDue, ends: 1 } : { answers: { status: 500, code: 'PAY005' }, ends: 3 }),
    },
    { title: 'reports a pending status once', path, body: wrap(cardBody(number, '10.51')), ends: 2 },
    {
      title: 'answers with an error page of a proxy',
      path,
      body: wrap(cardBody(number, '10.52')),
      ends: 1,
      with: { transactionStatusId: 1 },
    },
    { title: 'cuts its answer off', path, body: wrap(cardBody(number, '10.53')), ends: 2, check: paidOnce },
    { title: 'reports three times', path, body: wrap(cardBody(number, '10.54')), ends: 2, check: paidOnce },
    { title: 'reports before it answers', path, body: wrap(cardBody(number, '10.55')), ends: 2, check: paidOnce },
    {
      title: 'reports out of order',
      path,
      body: wrap(cardBody('4000000000003063', '10.56')),
      ends: 2,
      check: paidOnce,
    },
    {
      title: 'signs the first callback wrongly',
      path,
      body: wrap(cardBody('4000000000003063', '10.57')),
      ends: 2,
      check: paidOnce,
    },
    { title: 'refunds in full without a request', path, body: wrap(cardBody('4000000000000341')), ends: 4 },
    {
      title: 'is charged back',
      path,
      body: wrap(cardBody('4000000000000440')),
      acts: waitForChargeback,
      ends: 2,
      with: { chargedBack: true },
    },
    {
      title: 'is refunded in part, then in full',
      path,
      body: wrap(cardBody(number)),
      acts: refunds(5, undefined),
      ends: 4,
    },
    { title: 'is refunded in equal parts', path, body: wrap(cardBody(number, 20)), acts: refunds(5, 5, 5, 5), ends: 4 },
  ];
}

describe('every card provider', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: families.map(({ adapter }) => adapter) });
  });
  after(async () => gateway.close());

  for (const { name, code, later } of families) {
    describe(`provider ${name}`, () => {
      describeScenarios(
        () => gateway,
        scenarios(`/payments/h2h/${code}`, later, (body) => body),
      );
    });
  }
});

describe('provider E by XML, for payment requests', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({
      adapters: [e],
      config: (config) => (config.adapters[e].options.flow = 'xml'),
    });
  });
  after(async () => gateway.close());
  describeScenarios(
    () => gateway,
    scenarios('/payments/h2h/14', false, (body) => body),
  );
});

describe('a member code', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: ['provider-b', e] });
  });
  after(async () => gateway.close());

  /** On its own only: ids, including random ones, may contain these digits. */
  const wrongCode = /(?<!\w)999999(?!\w)/;
  const confirm = async (id: number, body: object) => gateway.post(`/payments/cardMemberConfirm/${id}`, body);
  describeScenarios(
    () => gateway,
    [
      {
        title: 'is accepted by B at the second try',
        path: '/payments/h2h/12',
        body: cardBody('4000000000003238'),
        async acts({ id, action: { type, paymentId }, answer }) {
          expect(type, answer.text).to.equal('confirm');
          const wrong = await confirm(id, { paymentId, code: '999999' });
          expect([wrong.status, wrong.json.code, wrong.json.details.field]).to.deep.equal([400, 'PAY002', 'code']);
          expect(wrong.text).not.to.match(wrongCode);
          expect((await confirm(id, { paymentId: 'other', code: '123456' })).json.code).to.equal('NF001');
          const right = await confirm(id, { paymentId, code: '123456' });
          expect(right.status, right.text).to.equal(200);
          expect(right.json.action).to.equal(null);
        },
        ends: 2,
        async check({ id }) {
          expect((await confirm(id, { paymentId: 'any', code: '123456' })).json.code).to.equal('PAY004');
          expect(gateway.logged.join('')).not.to.match(wrongCode);
        },
      },
      {
        title: 'is refused by B after three wrong tries',
        path: '/payments/h2h/12',
        body: cardBody('4000000000003238'),
        async acts({ id, action: { paymentId } }) {
          const codes: string[] = [];
          for (const code of ['1', '2', '3']) codes.push((await confirm(id, { paymentId, code })).json.code);
          expect(codes).to.deep.equal(['PAY002', 'PAY002', 'PAY001']);
        },
        ends: 3,
      },
      {
        title: 'counts once at B when sent three times concurrently',
        path: '/payments/h2h/12',
        body: cardBody('4000000000003238'),
        async acts({ id, action: { paymentId } }) {
          const answers = await Promise.all([1, 2, 3].map(async () => confirm(id, { paymentId, code: '123456' })));
          expect(answers.map(({ status }) => status)).to.include(200);
          for (const { status, text } of answers) expect(status, text).to.be.oneOf([200, 400]);
        },
        ends: 2,
        check: paidOnce,
      },
      {
        title: 'is accepted by E',
        path: '/payments/h2h/14',
        body: cardBody('4000000000003246'),
        async acts({ id, action: { paymentId } }) {
          expect((await confirm(id, { paymentId, code: '246810' })).status).to.equal(200);
        },
        ends: 2,
      },
      {
        title: 'is final at E when it is wrong',
        path: '/payments/h2h/14',
        body: cardBody('4000000000003246'),
        async acts({ id, action: { paymentId } }) {
          expect((await confirm(id, { paymentId, code: '1' })).json.code).to.equal('PAY001');
        },
        ends: 3,
      },
    ],
  );
});
