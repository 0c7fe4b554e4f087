import type { Action, Outcome, StoredPayment, Submission } from '@paywright/contract';
import { actionOf, describeScenarioRules, firstRefund, visitPage, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import wechatPay from '../../index.ts';
import type { Options } from '../../options.ts';
import { events } from '../../sandbox/trigger.ts';
import { newPayment, pageOf, start } from '../messages.ts';

let trip: RoundTrip<Options>;

const pays = (action: Action | undefined, sandboxUrl: string) => visitPage(pageOf(action!, sandboxUrl), 'pay');
/** Plays a payer of H5. An invisible payer of the sandbox scans a code. */
async function playPayer(action: Action | undefined): Promise<void> {
  if (action?.type === 'redirect') await visitPage(action, 'pay');
}

/** Pays, and returns the payment as core stores it. */
async function buy(given: Submission<'billing'>): Promise<StoredPayment> {
  const outcome = await trip.submit(given);
  await playPayer(actionOf(outcome));
  await trip.until(() => trip.reported().length > 0);
  const { providerReference } = trip.heard.at(-1)!.events[0]!;
  return { ...trip.toStored(given, outcome), providerReference: providerReference! };
}

function refund(stored: StoredPayment, amount: string, number: number, isRepetition = false): Promise<Outcome> {
  const money = { amount, currency: 'CNY' };
  const asked = { ...firstRefund, reference: `${stored.reference}-R${number}`, money, isRepetition };
  return wechatPay.refund!(stored, asked, trip.provider);
}

const facts = { reference: 'GW-900-1', providerReference: null, money: { amount: '1', currency: 'CNY' }, times: 1 };

describe('the adapter with its sandbox', () => {
  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());

  for (const device of ['desktop', 'phone'] as const) {
    it(`pays on a ${device}, and refunds in parts`, async () => {
      const stored = await buy(newPayment('25.9', device));
      expect(await trip.fetched(stored)).to.deep.equal(['SUCCESS succeeded 25.90']);
      for (const [at, amount] of ['10', '2.58', '3.59'].entries()) {
        expect((await refund(stored, amount, at + 1)).outcome).to.equal('pending');
      }
      await trip.until(() => trip.reported().length === 5);
      expect(trip.reported().slice(1)).to.have.members([
        'SUCCESS succeeded',
        'CLOSED failed',
        'ABNORMAL needs_merchant',
        'SUCCESS succeeded',
      ]);
      expect(await trip.fetched(stored)).to.deep.equal(['REFUND succeeded 25.90']);
      expect((await refund(stored, '10', 1, true)).outcome).to.equal('succeeded');
      expect(await refund(stored, '2.58', 2, true)).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await refund(stored, '3.59', 3, true)).outcome).to.equal('succeeded');
      expect(await refund(stored, '20', 4)).to.include({ outcome: 'failed', nothingCharged: true });
    });
  }

  it('shows a code on a desktop, and on a phone a page that knows the domain of the gateway', async () => {
    expect(actionOf(await trip.submit(newPayment('5.63')))).to.include({ type: 'qr', app: 'WeChat' });
    const given = newPayment('5.63', 'phone');
    const action = actionOf(await trip.submit(given));
    expect(action).to.include({ type: 'redirect', referrer: 'origin' });
    await visitPage(action, 'leave');
    expect(trip.returns.at(-1)?.to).to.equal('page');
  });

  it('tells again how to pay an order whose answer was lost', async () => {
    const given = newPayment('5.63');
    const { action, ...stored } = trip.toStored(given, await trip.submit(given));
    const report = await trip.fetchStatus(stored);
    expect(report).to.deep.equal({ result: 'waiting', action });
  });

  it('closes an order, which the payer can then not pay', async () => {
    const given = newPayment('5.63');
    const stored = trip.toStored(given, await trip.submit(given));
    expect((await wechatPay.close!(stored, trip.provider)).outcome).to.equal('succeeded');
    await pays(stored.action, trip.sandboxUrl);
    expect(await trip.fetched(stored)).to.deep.equal(['CLOSED expired 5.63']);
    expect((await wechatPay.close!(stored, trip.provider)).outcome).to.equal('succeeded');
  });

  it('does not close an order that is paid', async () => {
    const given = newPayment('5.63');
    const stored = trip.toStored(given, await trip.submit(given));
    await pays(stored.action, trip.sandboxUrl);
    await trip.until(() => trip.reported().length > 0);
    expect(await wechatPay.close!(stored, trip.provider)).to.include({ outcome: 'failed', nothingCharged: true });
    expect(await trip.fetched(stored)).to.deep.equal(['SUCCESS succeeded 5.63']);
  });

  it('downloads a certificate that is not in the options', async () => {
    await trip.close();
    trip = await start({ platformKeys: [] });
    await buy(newPayment());
    expect(trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['accepted']);
  });

  it('passes its own checkAccount', async () => {
    expect((await wechatPay.checkAccount!(trip.provider)).map(({ ok }) => ok)).to.deep.equal([true, true]);
    const others = { ...trip.provider, options: { ...trip.provider.options, mchid: '1230000110' } };
    expect((await wechatPay.checkAccount!(others)).map(({ ok }) => ok)).to.deep.equal([false]);
  });

  it('refuses an amount of 0 before any request', async () => {
    expect(await trip.submit(newPayment('0'))).to.include({ outcome: 'failed', nothingCharged: true });
  });
});

describe('trigger of the sandbox', () => {
  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());

  for (const event of events.filter((one) => one !== 'probe')) {
    it(`sends ${event}, also about an order that it does not know`, async () => {
      const [answer] = await trip.trigger({ ...facts, event, forge: false });
      expect(answer?.status).to.equal(204);
      const [reported] = trip.heard.at(-1)!.events;
      expect(`${reported?.kind} ${reported?.providerStatus}`).to.equal(event);
      expect(reported?.status).to.not.equal('unknown');
    });
  }

  for (const [event, forge] of [
    ['probe', false],
    ['payment SUCCESS', true],
  ] as const) {
    it(`sends ${forge ? 'a forged ' : ''}${event}, which is refused`, async () => {
      const [answer] = await trip.trigger({ ...facts, event, forge });
      expect(answer?.status).to.equal(401);
      expect(trip.heard.at(-1)?.outcome).to.equal('invalid_signature');
    });
  }

  it('refuses an unknown event', async () => {
    const odd: unknown = await trip.trigger({ ...facts, event: 'gone', forge: false }).catch((error: unknown) => error);
    expect(odd).to.be.instanceOf(RangeError);
  });
});

for (const device of ['desktop', 'phone'] as const) {
  describe(`the adapter with its sandbox, with special amounts on a ${device}`, () => {
    describeScenarioRules({
      start: (delayMs) => start({}, delayMs),
      payment: (amount) => newPayment(amount, device),
      payer: playPayer,
      scenario: ['SUCCESS succeeded'],
      never: 'no_information',
    });
  });
}
