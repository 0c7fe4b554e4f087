import { nothingCharged, refusedField, v, type Outcome, type ThreeDsSupport } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { GatewayError } from '../../../base/errors.ts';
import type { NewPaymentRequest } from '../types/input.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';
import { nothingGiven } from '../../../database/collections/payment-request.ts';

const paid: Outcome = { outcome: 'succeeded', providerReference: 'P-1' };
const declined: Outcome = { outcome: 'failed', decline: '51' };

describe('pay and payH2h', () => {
  const suite = usePayments();
  const newRequest: NewPaymentRequest = {
    ...order,
    ...nothingGiven,
    client: { name: null, email: null, address: null, phone: null, memberId: null },
    send: false,
  };
  const createRequest = async ({ service }: TestPayments) => (await service.create(caller, newRequest)).id;
  const statusOf = async (answer: PaymentAnswer) => (await answer.present()).view['paymentRequestStatusId'];

  describe('payH2h', () => {
    it('creates the payment request, calls the provider once, and returns the new state', async () => {
      const payments = suite.create();
      payments.providers.second.answerWith(paid);
      const answer = await payments.service.payH2h(caller, 42, order, cardInput());
      expect(await statusOf(answer)).to.equal(2);
      expect(payments.providers.first.submitted).to.deep.equal([]);
      expect(payments.providers.second.submitted.map(({ reference, money }) => [reference, money])).to.deep.equal([
        [`GW-${answer.id}-1`, { amount: '10', currency: 'EUR' }],
      ]);
    });

    it('refuses the code of an unknown provider', async () => {
      await expectRefusal('NOT_FOUND', async () => suite.create().service.payH2h(caller, 99, order, cardInput()));
    });

    it('refuses a test payment at a provider that accepts only live payments, and accepts a live payment', async () => {
      const payments = suite.create({}, { first: { takesTestPayments: false } });
      payments.providers.first.answerWith(paid);
      const refused = await expectRefusal('NOT_FOUND', async () =>
        payments.service.payH2h({ ...caller, environment: 'live' }, 41, order, cardInput({ isSandbox: true })),
      );
      expect(refused.message).to.equal('provider 41 for test payments does not exist');
      expect(payments.providers.first.submitted).to.deep.equal([]);
      const live = await payments.service.payH2h({ ...caller, environment: 'live' }, 41, order, cardInput());
      expect(await statusOf(live)).to.equal(2);
    });

    it('refuses an order that the provider does not accept, and calls no provider', async () => {
      const payments = suite.create();
      const pay = async () => payments.service.payH2h(caller, 41, { ...order, unit: 'USD' }, cardInput());
      expect((await expectRefusal('INVALID_FORMAT', pay)).details).to.deep.include({ field: 'unit' });
      expect(payments.providers.first.submitted).to.deep.equal([]);
    });

    describe('payH2h with 3D Secure demanded', () => {
      const waysWith = (threeDs: ThreeDsSupport) => {
        const ways = [{ method: 'card', title: 'Card', threeDs, payerFields: [] }] as const;
        return { first: { manifest: { ways } } };
      };
      const alarms = ({ logged }: TestPayments) =>
        logged.filter(({ alarmKind }) => alarmKind === 'three_ds_missing').map(({ subject }) => subject);

      it('stores the demand, and raises an alarm if the payment succeeds without 3D Secure', async () => {
        const payments = suite.create({}, waysWith('enforced'));
        payments.providers.first.answerWith(paid, { ...paid, threeDs: 'authenticated' });
        const bare = await payments.service.payH2h(caller, 41, order, cardInput({ is3ds: true }));
        const record = await payments.store.load(bare.id);
        expect(record?.attempts[0]).to.include({ threeDsDemand: 'enforced', outcome: 'succeeded' });
        expect(record?.logs.at(-1)?.message).to.equal('succeeded; 3D Secure was demanded and is not shown');
        expect(alarms(payments)).to.deep.equal(['adapter first (test)']);
        await payments.service.payH2h(caller, 41, order, cardInput({ is3ds: true }));
        expect(alarms(payments)).to.have.length(1);
      });

      it('stores the demand of a risk rule', async () => {
        const risk = [{ id: 7, when: {}, action: 'require3ds', reason: 'new' }] as const;
        const payments = suite.create({ risk }, waysWith('by_other_means'));
        payments.providers.first.answerWith({ ...paid, threeDs: 'none' });
        await payments.service.payH2h(caller, 41, order, cardInput());
        expect(alarms(payments)).to.deep.equal(['adapter first (test)']);
      });

      it('answers VAL002 if the way to pay has no 3D Secure, and PAY004 if only a risk rule demands it', async () => {
        const pay = async (given: Parameters<typeof suite.create>[0], is3ds: boolean) =>
          suite
            .create(given, waysWith('unsupported'))
            .service.payH2h(caller, 41, order, cardInput(is3ds ? { is3ds } : {}));
        const refused = await expectRefusal('INVALID_FORMAT', async () => pay({}, true));
        expect(refused.details).to.deep.include({ field: 'is3ds', value: true });
        const risk = [{ id: 7, when: {}, action: 'require3ds', reason: 'new' }] as const;
        await expectRefusal('PAYMENT_NOT_PAYABLE', async () => pay({ risk }, false));
      });
    });

    it('stores a denied payment, and calls no provider', async () => {
      const payments = suite.create({ risk: [{ id: 7, when: {}, action: 'deny', reason: 'no' }] });
      const refusal = await expectRefusal('CARD_DECLINED', async () =>
        payments.service.payH2h(caller, 41, order, cardInput()),
      );
      expect(refusal.details).to.deep.include({ declineCode: '05' });
      expect((await payments.store.load(refusal.paymentRequestId!))?.statusId).to.equal(3);
      expect(payments.providers.first.submitted).to.deep.equal([]);
    });

    it('calls no provider if another request with the same Idempotency-Key took over', async () => {
      const payments = suite.create();
      const conflict = new GatewayError('IDEMPOTENCY_CONFLICT', 'another request took over');
      let bound = 0;
      const bindPayment = async (id: number): Promise<void> => {
        bound = id;
        throw conflict;
      };
      const operation = {
        id: 'op-1',
        bindPayment,
        isApplied: async () => false,
        forEntries: async () => [],
        currentAnswer: async () => Promise.reject(conflict),
      };
      const pay = async () => payments.service.payH2h({ ...caller, operation }, 41, order, cardInput());
      await expectRefusal('IDEMPOTENCY_CONFLICT', pay);
      expect(payments.providers.first.submitted).to.deep.equal([]);
      expect([bound > 0, await payments.store.load(bound)]).to.deep.equal([true, undefined]);
    });

    it('creates one payment and calls the provider once for a request that runs twice under one Idempotency-Key', async () => {
      const payments = suite.create();
      payments.providers.first.answerWith(paid, paid);
      const operation = {
        id: 'op-twice',
        paymentRequestId: await payments.service.reserveId(),
        bindPayment: async () => undefined,
        isApplied: async () => false,
        forEntries: async () => [],
        currentAnswer: async () => expect.fail('the current answer is not requested'),
      };
      const pay = async () => payments.service.payH2h({ ...caller, operation }, 41, order, cardInput());
      const runs = await Promise.allSettled(Array.from({ length: 4 }, pay));
      expect(runs.map(({ status }) => status).toSorted()).to.deep.equal(['fulfilled', ...Array(3).fill('rejected')]);
      const late = await expectRefusal('IDEMPOTENCY_CONFLICT', pay);
      expect(late.paymentRequestId).to.equal(operation.paymentRequestId);
      expect(payments.providers.first.submitted.map(({ reference }) => reference)).to.deep.equal([
        `GW-${operation.paymentRequestId}-1`,
      ]);
    });
  });

  describe('pay', () => {
    it('calls the provider that the route rules choose', async () => {
      const payments = suite.create({ routes: [{ id: 5, when: {}, use: ['second'], fallback: false }] });
      payments.providers.second.answerWith(paid);
      const id = await createRequest(payments);
      expect(await statusOf(await payments.service.pay(caller, id, cardInput()))).to.equal(2);
      expect((await payments.store.load(id))?.routeRuleId).to.equal(5);
    });

    it('leaves the payment request unchanged if no provider accepts it, and returns the reason', async () => {
      const payments = suite.create({
        routes: [{ id: 5, when: { currency: ['USD'] }, use: ['second'], fallback: false }],
      });
      const id = await createRequest(payments);
      const refusal = await expectRefusal('PAYMENT_NOT_PAYABLE', async () =>
        payments.service.pay(caller, id, cardInput()),
      );
      expect(refusal.message).to.include('no route rule');
      expect((await payments.store.load(id))?.attempts).to.deep.equal([]);
    });

    it('opens one attempt for many concurrent calls', async () => {
      const payments = suite.create();
      payments.providers.first.answerWith(paid);
      const id = await createRequest(payments);
      const all = await Promise.allSettled(
        Array.from({ length: 8 }, async () => payments.service.pay(caller, id, cardInput())),
      );
      expect(all.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
      const reasons = all.flatMap((one) => (one.status === 'rejected' ? [(one.reason as GatewayError).kind] : []));
      expect(new Set(reasons)).to.deep.equal(new Set(['PAYMENT_NOT_PAYABLE']));
      expect(payments.providers.first.submitted).to.have.length(1);
    });

    it('allows another attempt after a decline, and none after a success', async () => {
      const payments = suite.create({ routes: [{ id: 1, when: {}, use: ['first'], fallback: false }] });
      payments.providers.first.answerWith(declined, paid);
      const id = await createRequest(payments);
      await expectRefusal('CARD_DECLINED', async () => payments.service.pay(caller, id, cardInput()));
      expect(await statusOf(await payments.service.pay(caller, id, cardInput()))).to.equal(2);
      await expectRefusal('PAYMENT_NOT_PAYABLE', async () => payments.service.pay(caller, id, cardInput()));
      expect(payments.providers.first.submitted.map(({ reference }) => reference)).to.deep.equal([
        `GW-${id}-1`,
        `GW-${id}-2`,
      ]);
    });

    it('allows the payer’s page to pay only the state that the payer saw, and ten times per hour', async () => {
      const payments = suite.create({ routes: [{ id: 1, when: {}, use: ['first'], fallback: false }] });
      const id = await createRequest(payments);
      const pay = async (seen: number) =>
        payments.service.pay(caller, id, cardInput(), { seen, way: { method: 'card', adapter: null, coin: null } });
      for (let n = 0; n < 10; n += 1) {
        payments.providers.first.answerWith(declined);
        await expectRefusal('CARD_DECLINED', async () => pay(n));
      }
      await expectRefusal('PAYMENT_NOT_PAYABLE', async () => pay(9));
      await expectRefusal('RATE_LIMIT_EXCEEDED', async () => pay(10));
    });

    it('demands 3D Secure if a risk rule does, and finds no provider if none supports it', async () => {
      const bounds = v.looseObject({ is3ds: v.optional(v.literal(false, 'no 3D Secure here')) });
      const risk = [{ id: 7, when: {}, action: 'require3ds', reason: 'new client' }] as const;
      const payments = suite.create({ risk }, { first: { manifest: { bounds } }, second: { manifest: { bounds } } });
      const id = await createRequest(payments);
      const pay = async () => payments.service.pay(caller, id, cardInput());
      expect((await expectRefusal('PAYMENT_NOT_PAYABLE', pay)).message).to.include('is3ds');
      expect(payments.providers.first.submitted).to.deep.equal([]);
    });

    it('refuses a test payment of a live payment request', async () => {
      const payments = suite.create();
      const live = { ...caller, environment: 'live' } as const;
      const { id } = await payments.service.create(live, newRequest);
      const pay = async () => payments.service.pay(live, id, cardInput({ isSandbox: true }));
      await expectRefusal('INVALID_FORMAT', pay);
      expect(payments.providers.first.submitted).to.deep.equal([]);
    });

    it('does not find a payment request of another owner', async () => {
      const payments = suite.create();
      const id = await createRequest(payments);
      await expectRefusal('NOT_FOUND', async () => payments.service.pay({ ...caller, ownerId: 2 }, id, cardInput()));
    });
  });

  describe('a field that the provider refuses', () => {
    const refusedAs = async (field: string, body: Readonly<Record<string, unknown>> = {}): Promise<unknown> => {
      const payments = suite.create();
      const outcome = { outcome: 'failed', nothingCharged: true, refusedField: field, reason: 'Acme answered 400' };
      for (const provider of Object.values(payments.providers)) provider.answerWith(outcome as Outcome);
      const id = await createRequest(payments);
      return payments.service.pay(caller, id, cardInput({ body })).catch((error: unknown) => error);
    };
    const message = 'the provider refuses this value; nothing was charged';

    for (const field of ['number', 'expiration', 'cvv']) {
      it(`is PAY002 for the card's ${field}`, async () => {
        expect(await refusedAs(field)).to.deep.include({
          kind: 'INVALID_CARD',
          details: { field, reason: message },
          isProviderAnswer: true,
        });
      });
    }

    it('is VAL002 with the value for any other field', async () => {
      const [field, value] = ['phoneNumber', '+351 912 345 678'];
      expect(await refusedAs(field, { [field]: value })).to.deep.include({
        kind: 'INVALID_FORMAT',
        details: { field, value, errors: [{ field, value, message }] },
        isProviderAnswer: true,
      });
    });

    for (const [named, field] of [
      ['body', 'body'],
      ['shopperMood', 'body'],
      ['token', 'token'],
      ['wallet', 'wallet'],
    ] as const) {
      it(`is VAL002 \`${field}\` without a value if the adapter names ${named}`, async () => {
        const error = (await refusedAs(named, { token: 'tok-1', wallet: { xid: 'x' } })) as GatewayError;
        expect(error).to.include({ kind: 'INVALID_FORMAT' });
        expect(error.details).to.include({ field, value: '[hidden]' });
      });
    }

    it('is shown to the payer with the field to change', async () => {
      const payments = suite.create();
      payments.providers.first.answerWith(refusedField('postalCode', 'missing'));
      payments.providers.second.answerWith(refusedField('postalCode', 'missing'));
      const id = await createRequest(payments);
      await expectRefusal('INVALID_FORMAT', async () => payments.service.pay(caller, id, cardInput()));
      const { linkKey } = (await payments.store.load(id))!;
      const page = await payments.service.payPage(id, { linkKey }, async () => undefined);
      expect(page?.details?.failure).to.deep.equal({ kind: 'field_refused', field: 'postalCode' });
    });
  });

  it('stores and logs neither the number nor the security code of a card', async () => {
    const payments = suite.create();
    for (const provider of Object.values(payments.providers)) provider.answerWith(nothingCharged('busy'));
    const id = await createRequest(payments);
    await expectRefusal('PROVIDER_UNAVAILABLE', async () => payments.service.pay(caller, id, cardInput()));
    const record = await payments.store.load(id);
    expect(record?.attempts[0]).to.include({ cardBin: '411111', cardLastDigits: '1111' });
    expect(JSON.stringify([record, payments.logged])).to.not.match(/4111111111111111|"123"/);
  });
});
