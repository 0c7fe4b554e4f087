/** Once a payment request exists, every failure names it in the details and the headers, and only to its owner. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { cardBody, payer } from '../support/bodies.ts';
import { openAction, press } from '../support/payer.ts';
import { startGateway, type Answer, type TestGateway } from '../support/start-gateway.ts';
import { toTestPayment, type TestPayment } from '../support/scenarios.ts';

const approved = '4111111111111111';
const declined = '4000000000000002';
const withCode = '4000000000003238';
const secure = '4000000000003220';
const upi = (upiId: string): object => ({ ...payer, upiId, amount: 25.9, unit: 'INR' });

describe('a failure about a payment request', () => {
  let gateway: TestGateway;
  let restoreWrites: () => void = () => undefined;
  before(async () => {
    gateway = await startGateway({
      adapters: ['provider-a', 'provider-b', 'provider-c', 'provider-e', 'upi'],
      // No process listens there.
      config: ({ adapters }) => (adapters['provider-e'].options.sandboxBaseUrl = 'http://127.0.0.1:9'),
    });
  });
  after(async () => gateway.close());

  const post = async (path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> =>
    gateway.post(path, body, headers);
  const createRequest = async (): Promise<number> =>
    toTestPayment(gateway, await post('/payment-requests', { amount: 25.9, unit: 'EUR' })).id;
  const submitCard = async (code: number, number: string): Promise<TestPayment> =>
    toTestPayment(gateway, await post(`/payments/h2h/${code}`, cardBody(number)));
  const makePaidPayment = async (): Promise<number> => {
    const payment = await submitCard(11, approved);
    await payment.waitForStatus(2);
    return payment.id;
  };
  const findLastId = async (): Promise<number> => {
    const payments = gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');
    return (await payments.find().sort({ _id: -1 }).limit(1).toArray())[0]?._id ?? 0;
  };
  const pathOf = (id: number) => `/payment-requests/${id}`;
  const card = (id: number) => `/payments/creditCard/${id}`;

  /** Makes the n-th change of a payment request with a matching id fail. */
  function failWrite(nth: number, isMeant: (id: number) => boolean): void {
    const { collection } = gateway.gateway.connection.models['PaymentRequest']!;
    const usual = collection.bulkWrite.bind(collection);
    let changes = 0;
    collection.bulkWrite = async (...given: Parameters<typeof usual>) => {
      const filters = given[0].map(
        (one) => ('updateOne' in one ? one.updateOne.filter : {}) as { readonly _id?: unknown },
      );
      const isChange = filters.some((filter) => 'version' in filter && isMeant(Number(filter._id)));
      if (isChange) changes += 1;
      if (isChange && changes === nth) throw new Error('out of order');
      return usual(...given);
    };
    restoreWrites = () => void Reflect.deleteProperty(collection, 'bulkWrite');
  }

  /** Each failure, and the id that it must name. 0: the payment request that this call created. */
  const failures: readonly (readonly [string, string, () => Promise<readonly [Answer, number]>])[] = [
    ['PAY001', 'a declined card', async () => [await post('/payments/h2h/11', cardBody(declined)), 0]],
    ['UPI002', 'a declined UPI payment', async () => [await post('/payments/h2h/31', upi('u30@upi')), 0]],
    [
      'PAY005',
      'a provider that cannot be reached',
      async () => [await post('/payments/h2h/14', cardBody(approved)), 0],
    ],
    [
      'SYS001',
      'an answer of a provider that cannot be stored',
      async () => {
        const id = await createRequest();
        failWrite(2, (one) => one === id);
        return [await post(card(id), cardBody(approved)), id];
      },
    ],
    [
      'SYS001',
      'the same, of a payment request that the call makes',
      async () => {
        const before = await findLastId();
        failWrite(1, (one) => one > before);
        return [await post('/payments/h2h/11', cardBody(approved)), 0];
      },
    ],
    [
      'PAY003',
      'a failed 3D Secure step',
      async () => {
        const { id, action } = await submitCard(13, secure);
        await press(await openAction(action), 'choice', 'fail');
        return [await post(`${card(id)}?transaction3dsId=${action.transactionId}`, cardBody(secure)), id];
      },
    ],
    [
      'PAY002',
      'a wrong member code',
      async () => {
        const { id, action } = await submitCard(12, withCode);
        return [await post(`/payments/cardMemberConfirm/${id}`, { paymentId: action.paymentId, code: '9' }), id];
      },
    ],
    [
      'NF001',
      'a paymentId that is another',
      async () => {
        const { id } = await submitCard(12, withCode);
        return [await post(`/payments/cardMemberConfirm/${id}`, { paymentId: 'another', code: '9' }), id];
      },
    ],
    [
      'PAY004',
      'a payment that is paid',
      async () => [await post(card(await makePaidPayment()), cardBody(approved)), await findLastId()],
    ],
    [
      'VAL002',
      'more than is left to refund',
      async () => {
        const id = await makePaidPayment();
        return [await post(`${pathOf(id)}/refund`, { amount: 26 }), id];
      },
    ],
    [
      'PAY004',
      'a refund of what is not paid, at its first call and again under the same key',
      async () => {
        const id = await createRequest();
        const send = async (): Promise<Answer> =>
          post(`${pathOf(id)}/refund`, undefined, { 'Idempotency-Key': `r ${id}` });
        expect((await send()).json.details).to.deep.equal({ paymentRequestId: id });
        return [await send(), id];
      },
    ],
    [
      'PAY001',
      'a decline that is answered again under its key',
      async () => {
        const id = await createRequest();
        const send = async (): Promise<Answer> => post(card(id), cardBody(declined), { 'Idempotency-Key': `d ${id}` });
        await send();
        return [await send(), id];
      },
    ],
    [
      'IDEM001',
      'a key of another request',
      async () => {
        const id = await createRequest();
        const key = { 'Idempotency-Key': `k ${id}` };
        await post(`${pathOf(id)}/cancel`, undefined, key);
        return [await post(`${pathOf(id)}/cancel`, { other: true }, key), id];
      },
    ],
    ...(
      [
        ['VAL001', 'a body in which all is missing', {}, card],
        [
          'VAL002',
          'a body with a wrong field',
          JSON.parse(cardBody(approved, 25.9, { country: 'PRT' })) as object,
          card,
        ],
        ['PAY002', 'a number that is none', JSON.parse(cardBody('4111111111111112')) as object, card],
        ['UPI001', 'an invalid UPI id', { ...payer, upiId: 'no-upi-id' }, (id: number) => `/payments/upi/${id}`],
      ] as const
    ).map(
      ([code, what, body, path]) =>
        [
          code,
          what,
          async () => {
            const id = await createRequest();
            return [await post(path(id), body), id] as const;
          },
        ] as const,
    ),
  ];

  for (const [code, what, fail] of failures) {
    it(`names the payment request with ${code}: ${what}`, async () => {
      const [{ json, text, headers }, id] = await fail().finally(() => restoreWrites());
      expect(json.code, text).to.equal(code);
      expect(json.details.paymentRequestId, text).to.equal(id || (await findLastId()));
      expect(headers.get('x-payment-request-id')).to.equal(String(json.details.paymentRequestId));
      expect(headers.get('location')).to.equal(pathOf(json.details.paymentRequestId));
    });
  }

  it('names nothing when none exists, or when it belongs to another owner', async () => {
    const id = await createRequest();
    const { key } = await gateway.gateway.access.keys.create({ owner: 'another', environment: 'sandbox' });
    const foreign = { 'X-API-Key': key };
    const answers = await Promise.all([
      post(card(id), cardBody(approved), foreign),
      post(card(id), {}, foreign),
      post(`${pathOf(id)}/refund`, { amount: 0 }, foreign),
      post(`${pathOf(id)}/refund`, undefined, { ...foreign, 'Idempotency-Key': 'k' }),
      gateway.get(pathOf(id), foreign),
      post(card(1), cardBody(approved)),
      post('/payments/h2h/11', {}),
    ]);
    expect(answers.map(({ json }) => json.code)).to.deep.equal([
      'NF001',
      'VAL001',
      'VAL002',
      'NF001',
      'NF001',
      'NF001',
      'VAL001',
    ]);
    for (const { json, headers } of answers) {
      expect(json.details).not.to.have.property('paymentRequestId');
      expect(headers.get('x-payment-request-id')).to.equal(null);
    }
  });
});
