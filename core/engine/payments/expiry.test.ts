import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { expectRefusal } from '../access/testing/expect-refusal.ts';
import {
  nothingGiven,
  paymentRequestModel,
  status,
  type GivenMembers,
} from '../../database/collections/payment-request.ts';
import { HOUR, MINUTE } from '../../base/async/time.ts';
import type { PayPage } from './types/pay-page.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from './testing/setup.ts';

describe('expiry of a payment request', () => {
  const suite = usePayments();
  const start = new Date('2026-11-21T12:00:00Z');
  let now: Date;
  let payments: TestPayments;
  beforeEach(() => {
    now = start;
    payments = suite.create({}, {}, () => now);
  });

  const inMinutes = (minutes: number): Date => new Date(start.getTime() + minutes * MINUTE);
  async function create(given: Partial<GivenMembers> = {}): Promise<number> {
    const client = { name: null, email: null, address: null, phone: null, memberId: null };
    return (await payments.service.create(caller, { ...order, ...nothingGiven, ...given, client, send: false })).id;
  }
  const expiresAtOf = async (id: number): Promise<unknown> => (await payments.service.get(caller, id))['expiresAt'];
  const pay = async (id: number) => payments.service.pay(caller, id, cardInput());
  async function pageOf(id: number): Promise<PayPage> {
    const { linkKey } = (await payments.store.load(id))!;
    return (await payments.service.payPage(id, { linkKey }, async () => undefined))!;
  }
  async function sweep(): Promise<readonly number[]> {
    const due = await payments.expiry.due(100);
    for (const id of due) await payments.expiry.expire(id);
    return due;
  }

  it('uses the time from config or from the merchant, as the merchant spells it', async () => {
    expect(await expiresAtOf(await create())).to.equal('2026-11-24T12:00:00.000Z');
    const given = { expiresAt: inMinutes(90), expiresAtText: '2026-11-21T15:30:00+02:00' };
    expect(await expiresAtOf(await create(given))).to.equal('2026-11-21T15:30:00+02:00');
    expect(await expiresAtOf(await create({ expiresAt: inMinutes(90) }))).to.equal('2026-11-21T13:30:00.000Z');
    const answer = await payments.service.payH2h(caller, 41, order, cardInput());
    expect(await expiresAtOf(answer.id)).to.equal('2026-11-24T12:00:00.000Z');
  });

  it('expires a payment request without an attempt at that time, and not earlier', async () => {
    const [soon, later] = [await create({ expiresAt: inMinutes(5) }), await create({ expiresAt: inMinutes(500) })];
    now = new Date(inMinutes(5).getTime() - 1);
    expect(await sweep()).not.to.include(soon);
    now = inMinutes(5);
    expect(await sweep())
      .to.include(soon)
      .and.not.include(later);
    expect((await payments.store.load(soon))!.statusId).to.equal(status.expired);
  });

  it('expires a payment request of an earlier version, which stored no such time, after the time from config', async () => {
    const id = await create();
    const model = paymentRequestModel(suite.connection());
    await model.updateOne({ _id: id }, { $unset: { expiresAt: '', expiresAtText: '' } });
    expect([await expiresAtOf(id), (await pageOf(id)).details?.expiresAt]).to.deep.equal([null, null]);
    now = new Date(start.getTime() + 72 * HOUR - 1);
    expect(await sweep()).not.to.include(id);
    now = new Date(start.getTime() + 72 * HOUR);
    expect(await sweep()).to.include(id);
  });

  it('refuses a first attempt after that time, even before a sweep ran', async () => {
    const id = await create({ expiresAt: inMinutes(5) });
    expect(await pageOf(id)).to.deep.include({ state: 'created' });
    expect((await pageOf(id)).details).to.deep.include({ expiresAt: inMinutes(5) });
    now = inMinutes(5);
    const refusal = await expectRefusal('PAYMENT_NOT_PAYABLE', async () => pay(id));
    expect(refusal.message).to.include('expired at 2026-11-21T12:05:00.000Z');
    const { state, details } = await pageOf(id);
    expect([state, details?.ways]).to.deep.equal(['expired', []]);
    expect(payments.providers.first.submitted).to.deep.equal([]);
  });

  it('refuses another attempt after a decline, and keeps the status failed', async () => {
    const id = await create({ expiresAt: inMinutes(5) });
    payments.providers.first.answerWith({ outcome: 'failed', decline: '51' });
    await expectRefusal('CARD_DECLINED', async () => pay(id));
    expect((await pageOf(id)).state).to.equal('failed');
    now = inMinutes(5);
    await expectRefusal('PAYMENT_NOT_PAYABLE', async () => pay(id));
    expect((await pageOf(id)).state).to.equal('expired');
    expect(await sweep()).not.to.include(id);
    expect((await payments.store.load(id))!.statusId).to.equal(status.failed);
  });

  it('leaves an attempt that started earlier unchanged', async () => {
    const id = await create({ expiresAt: inMinutes(5) });
    payments.providers.first.answerWith({ outcome: 'pending', providerReference: 'P-1' });
    await pay(id);
    now = inMinutes(50);
    expect(await sweep()).not.to.include(id);
    expect((await pageOf(id)).state).to.equal('pending');
  });
});
