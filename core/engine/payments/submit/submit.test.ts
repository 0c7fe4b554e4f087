import { nothingCharged, ProviderCallError, refusedField, unknown, type Outcome } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { valueOf } from '../../../base/metrics/testing/read-page.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';
import { nothingGiven, type PaymentRecord } from '../../../database/collections/payment-request.ts';

const paid: Outcome = { outcome: 'succeeded', providerReference: 'P-1' };

describe('a submission', () => {
  const suite = usePayments();

  /** Pays a new request by the rule `first`, then `second`. Returns the payment, for any outcome. */
  async function pay({ service, store }: TestPayments): Promise<PaymentRecord> {
    const client = { name: null, email: null, address: null, phone: null, memberId: null };
    const { id } = await service.create(caller, { ...order, ...nothingGiven, client, send: false });
    await service.pay(caller, id, cardInput()).catch(() => undefined);
    return (await store.load(id))!;
  }
  const summary = ({ attempts }: PaymentRecord) => attempts.map((one) => [one.adapter, one.outcome, one.isFallback]);

  it('stores the attempt before the provider is called', async () => {
    const payments = suite.create();
    let recordDuringCall: PaymentRecord | undefined;
    payments.providers.first.answerWith(async () => {
      const [{ paymentRequestId } = { paymentRequestId: '' }] = payments.providers.first.submitted;
      recordDuringCall = await payments.store.load(Number(paymentRequestId));
      return paid;
    });
    await pay(payments);
    expect(recordDuringCall).to.include({ statusId: 1 });
    expect(recordDuringCall!.attempts[0]).to.include({ outcome: 'open', endedAt: null });
    expect(recordDuringCall!.nextCheckAt).to.deep.equal(recordDuringCall!.attempts[0]!.deadlineAt);
  });

  it('continues with the next provider if certainly nothing was charged', async () => {
    const payments = suite.create();
    payments.providers.first.answerWith(nothingCharged('busy'));
    payments.providers.second.answerWith(paid);
    const record = await pay(payments);
    expect(summary(record)).to.deep.equal([
      ['first', 'failed', false],
      ['second', 'succeeded', true],
    ]);
    expect(record.statusId).to.equal(2);
    const counted = async (name: string, provider: string, outcome: string) =>
      valueOf(payments.metrics, `gateway_${name}_total`, { provider, mode: 'test', outcome });
    for (const name of ['submissions', 'attempts_ended']) {
      expect(await counted(name, 'first', 'failed'), name).to.equal(1);
      expect(await counted(name, 'second', 'succeeded'), name).to.equal(1);
    }
    const paymentsCounted = async (outcome: string) =>
      valueOf(payments.metrics, 'gateway_payments_total', { mode: 'test', outcome });
    expect([await paymentsCounted('created'), await paymentsCounted('paid')]).to.deep.equal([1, 1]);
    expect(await paymentsCounted('expired')).to.equal(undefined);
  });

  for (const [what, outcome] of [
    ['a decline', { outcome: 'failed', decline: '51' }],
    ['an unreadable answer', unknown('HTML')],
    ['a pending step of the payer', { outcome: 'pending' }],
  ] as const satisfies readonly (readonly [string, Outcome])[]) {
    it(`calls no other provider after ${what}`, async () => {
      const payments = suite.create();
      payments.providers.first.answerWith(outcome);
      expect((await pay(payments)).attempts).to.have.length(1);
      expect(payments.providers.second.submitted).to.deep.equal([]);
    });
  }

  it('is unknown and pending if the adapter throws', async () => {
    const payments = suite.create();
    payments.providers.first.answerWith(async () => Promise.reject(new Error('a mistake of its author')));
    const record = await pay(payments);
    expect(record.statusId).to.equal(1);
    expect(record.attempts[0]).to.include({ outcome: 'open', unknown: true });
    expect(record.logs.map(({ code }) => code)).to.deep.equal(['OUTCOME_UNKNOWN']);
    expect(record.nextCheckAt).to.be.instanceOf(Date);
  });

  it('is unknown if the provider does not answer in time', async () => {
    const payments = suite.create();
    payments.providers.first.answerWith(async () => new Promise(() => undefined));
    expect((await pay(payments)).attempts[0]).to.include({ outcome: 'open', unknown: true });
  });

  it('fails with nothing charged if every provider refused to start', async () => {
    const payments = suite.create();
    payments.providers.first.answerWith(nothingCharged('busy'));
    payments.providers.second.answerWith(nothingCharged('closed'));
    const record = await pay(payments);
    expect(record.statusId).to.equal(3);
    expect(record.attempts.map((one) => one.nothingCharged)).to.deep.equal([true, true]);
  });

  it('continues with the next provider if a field was refused, and stops after the last one', async () => {
    const payments = suite.create();
    payments.providers.first.answerWith(refusedField('phoneNumber', 'too short'));
    payments.providers.second.answerWith(refusedField('postalCode', 'missing'));
    const record = await pay(payments);
    expect(record.attempts.map((one) => one.refusedField)).to.deep.equal(['phoneNumber', 'postalCode']);
    expect(record.statusId).to.equal(3);
    expect(record.logs.map(({ message }) => message)).to.deep.equal([
      'nothing was charged: phoneNumber refused: too short',
      'nothing was charged: postalCode refused: missing',
    ]);
  });

  it('keeps the circuit closed, however often a field is refused', async () => {
    const payments = suite.create();
    for (let count = 0; count < 25; count += 1) {
      payments.providers.first.answerWith(refusedField('city', 'missing'));
      await pay(payments);
    }
    expect(payments.providers.first.submitted).to.have.length(25);
  });

  it('returns the state that a quicker callback stored', async () => {
    const payments = suite.create();
    payments.providers.first.answerWith(async () => {
      const [{ paymentRequestId } = { paymentRequestId: '' }] = payments.providers.first.submitted;
      const { store } = payments;
      await store.change(Number(paymentRequestId), 'callback', (record) => {
        const attempts = record.attempts.map((one) => ({ ...one, outcome: 'succeeded' as const }));
        return { next: { ...record, attempts, statusId: 2, paidAmount: '10', paidCurrency: 'EUR' } };
      });
      return { outcome: 'pending' };
    });
    expect((await pay(payments)).statusId).to.equal(2);
  });

  it('stores the adapter state encrypted, and passes it to a fetch', async () => {
    const payments = suite.create();
    payments.providers.first.answerWith({ ...unknown('lost'), adapterState: { order: 'o-77' } });
    payments.providers.first.reportStatus({ result: 'nothing_charged' });
    const record = await pay(payments);
    expect(JSON.stringify(record)).to.not.include('o-77');
    expect(Buffer.from(record.attempts[0]!.adapterState!).toString()).to.not.include('o-77');
    const due = { ...record, lease: { ...record.lease, token: 't' } };
    await payments.reconciler.reconcile(due);
    expect(payments.providers.first.fetched.map(({ adapterState }) => adapterState)).to.deep.equal([{ order: 'o-77' }]);
  });

  it('stores the state that a call kept before its second answer was lost, and passes it to a fetch', async () => {
    let fetched: unknown;
    const payments = suite.create(
      {},
      {
        first: {
          adapter: {
            async submit(_, { keep }) {
              keep({ order: 'o-78' });
              throw new ProviderCallError('no_answer', 'the second answer was lost');
            },
            async fetchStatus({ adapterState }) {
              fetched = adapterState;
              return { result: 'nothing_charged' };
            },
          },
        },
      },
    );
    const record = await pay(payments);
    expect(record.attempts[0]).to.include({ outcome: 'open', unknown: true });
    await payments.reconciler.reconcile({ ...record, lease: { ...record.lease, token: 't' } });
    expect(fetched).to.deep.equal({ order: 'o-78' });
  });

  it('is refused for a payment that another request is paying', async () => {
    const payments = suite.create();
    let second: Promise<unknown> | undefined;
    payments.providers.first.answerWith(async () => {
      const [{ paymentRequestId } = { paymentRequestId: '' }] = payments.providers.first.submitted;
      const again = async () => payments.service.pay(caller, Number(paymentRequestId), cardInput());
      second = expectRefusal('PAYMENT_NOT_PAYABLE', again);
      await second;
      return paid;
    });
    expect((await pay(payments)).statusId).to.equal(2);
    await second;
    expect(payments.providers.first.submitted).to.have.length(1);
  });
});
