import type { Action } from '@paywright/contract';
import { sendRequest } from '@paywright/contract/sandbox';
import { describeScenarioRules, firstRefund, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import wechatPay from '../index.ts';
import type { Options } from '../options.ts';
import { events } from '../sandbox/trigger.ts';
import { payment, startTrip } from './helpers.ts';

const paid = 'SUCCESS succeeded';

/** Presses the button of the page that a phone gets to see; a QR code is scanned by itself. */
async function press(action: Action | undefined): Promise<void> {
  if (action?.type !== 'redirect') return;
  const answer = await sendRequest({ method: 'POST', url: action.url, body: 'choice=pay' }, 2000);
  expect(answer.status).to.equal(303);
}

async function withTrip(run: (trip: RoundTrip<Options>) => Promise<void>, more: Partial<Options> = {}): Promise<void> {
  const trip = await startTrip(undefined, more);
  try {
    await run(trip);
  } finally {
    await trip.close();
  }
}

describe('WeChat Pay and its sandbox', () => {
  for (const phone of [false, true]) {
    it(`agree on a payment ${phone ? 'by H5' : 'by QR code'} from its submission to its refunds`, () =>
      withTrip(async (trip) => {
        const given = payment('25.9', phone);
        const outcome = await trip.submit(given);
        await press(outcome.outcome === 'pending' ? outcome.action : undefined);
        await trip.until(() => trip.reported().length === 1);
        const stored = { ...trip.toStored(given, outcome), providerReference: trip.heard[0]!.events[0]!.providerReference! };
        expect(await trip.fetched(stored)).to.deep.equal([`${paid} 25.90`]);
        const { reference } = given;
        const refunds = ['10', '2.58', '3.59'].map((amount, at) => ({
          ...firstRefund,
          reference: `${reference}-R${at + 1}`,
          money: { amount, currency: 'CNY' },
        }));
        for (const refund of refunds) {
          const answer = await wechatPay.refund!(stored, refund, trip.provider);
          expect(answer.outcome).to.equal('pending');
        }
        await trip.until(() => trip.reported().length === 5);
        expect(trip.reported().slice(1).toSorted()).to.deep.equal([
          'ABNORMAL pending',
          'CLOSED failed',
          'SUCCESS succeeded',
          'SUCCESS succeeded',
        ]);
        expect(await trip.fetched(stored)).to.deep.equal(['REFUND succeeded 25.90']);
        const repeated = await Promise.all(
          refunds.map((refund) => wechatPay.refund!(stored, { ...refund, isRepetition: true }, trip.provider)),
        );
        expect(repeated.map(({ outcome: one }) => one)).to.deep.equal(['succeeded', 'failed', 'succeeded']);
        const all = { ...firstRefund, reference: `${reference}-R4`, money: { amount: '20', currency: 'CNY' } };
        expect((await wechatPay.refund!(stored, all, trip.provider)).outcome).to.equal('failed');
      }));
  }

  it('close what was not paid in time, and believe a payer who was quicker', () =>
    withTrip(async (trip) => {
      const later = { ...trip.provider, now: () => new Date(Date.now() + 60_000) };
      const [late, quick] = [payment('5.63'), payment('5.63')];
      for (const given of [late, quick]) {
        const stored = { ...trip.toStored(given, await trip.submit(given)), endedAt: new Date(Date.now() - 32 * 60_000) };
        if (given === quick) {
          await trip.trigger({ event: 'payment SUCCESS', reference: quick.reference, providerReference: null, money: quick.money, times: 1, forge: false });
        }
        const report = await wechatPay.fetchStatus!(stored, later);
        const statuses = report.result === 'events' ? report.events.map(({ providerStatus }) => providerStatus) : [];
        expect(statuses).to.deep.equal([given === quick ? 'SUCCESS' : 'CLOSED']);
      }
    }));

  it('learn a certificate that is not configured', () =>
    withTrip(
      async (trip) => {
        const outcome = await trip.submit(payment());
        expect(outcome.outcome).to.equal('pending');
        await trip.until(() => trip.reported().length === 1);
        expect(trip.heard[0]?.outcome).to.equal('accepted');
      },
      { platformKeys: [] },
    ));

  it('send every notification on demand, about an order that nobody saw', () =>
    withTrip(async (trip) => {
      const facts = { reference: 'GW-900-1', providerReference: null, money: { amount: '1', currency: 'CNY' }, times: 1 };
      for (const event of events.filter((one) => one !== 'probe')) {
        const [answer] = await trip.trigger({ ...facts, event, forge: false });
        expect(answer?.status).to.equal(204);
        const [reported] = trip.heard.at(-1)!.events;
        expect(event).to.equal(`${reported?.kind} ${reported?.providerStatus}`);
        expect(reported?.status).to.not.equal('unknown');
      }
      for (const [event, forge] of [['probe', false], [events[0]!, true]] as const) {
        const [answer] = await trip.trigger({ ...facts, event, forge });
        expect([answer?.status, trip.heard.at(-1)?.outcome]).to.deep.equal([401, 'invalid_signature']);
      }
    }));

  it('say to the operator that the account is fit', () =>
    withTrip(async (trip) => {
      expect((await wechatPay.checkAccount!(trip.provider)).map(({ ok }) => ok)).to.deep.equal([true, true]);
      const wrong = { ...trip.provider, options: { ...trip.provider.options, mchid: '1230000110' } };
      expect((await wechatPay.checkAccount!(wrong)).map(({ ok }) => ok)).to.deep.equal([false]);
    }));
});

for (const phone of [false, true]) {
  describe(`the sandbox of WeChat Pay, ${phone ? 'by H5' : 'by QR code'}`, () => {
    describeScenarioRules({
      start: startTrip,
      payment: (amount) => payment(amount, phone),
      payer: press,
      scenario: [paid],
      never: 'no_information',
    });
  });
}
