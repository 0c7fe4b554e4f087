import type { StoredPayment, Trigger } from '@paywright/contract';
import { sampleSubmission, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerA from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { events } from '../../sandbox/trigger.ts';
import { harness } from '../messages.ts';

const { options } = harness;

const money = { amount: '25.90', currency: 'EUR' };
const usual = { reference: 'GW-900-1', providerReference: null, money, times: 1, forge: false };

describe('callbacks on demand', () => {
  let trip: RoundTrip<Options>;
  beforeEach(async () => {
    trip = await startRoundTrip({ adapter: providerA, createSandbox, options });
  });
  afterEach(async () => trip.close());

  const trigger = async (event: string, more: Partial<Trigger> = {}): Promise<number[]> =>
    (await trip.trigger({ ...usual, event, ...more })).map(({ status }) => status);

  /** A payment that stays pending unless an event is triggered. */
  async function waiting(number = '4000000000003097'): Promise<StoredPayment> {
    const given = { ...sampleSubmission, sandbox: true, card: { ...sampleSubmission.card, number } };
    return trip.toStored(given, await trip.submit(given));
  }

  it('covers every route, for a payment that the sandbox never received', async () => {
    for (const event of events) {
      const facts = { event, providerReference: 'A-7H2K9Q' };
      const [status = 0] = await trigger(event, facts);
      const { route, outcome, events: reported } = trip.heard.at(-1)!;
      const isQuestion = event === 'chargeback retrieval';
      const answered = { event, status: expectedStatus(route), outcome: isQuestion ? 'ignored' : 'accepted' };
      expect({ event, status, outcome }).to.deep.equal(answered);
      if (isQuestion) continue;
      const [kind = '', providerStatus = event] = event.split(' ');
      expect(reported).to.have.length(1);
      expect(reported[0]).to.include({ providerStatus, reference: 'GW-900-1', providerReference: 'A-7H2K9Q' });
      expect(reported[0]!.status, event).to.not.equal('unknown');
      if (kind !== '3ds') expect(reported[0]).to.include({ amount: '25.90', currency: 'EUR', mode: 'test' });
    }
    expect(new Set(trip.heard.map(({ route }) => route))).to.have.property('size', providerA.callbacks.length);
  });

  it('changes the payment: the status reports the same afterwards', async () => {
    const payment = await waiting();
    const about = { reference: payment.reference };
    await trigger('CAPTURE:true', { ...about, forge: true });
    await trigger('CAPTURE:true', { ...about, money: { amount: '1', currency: 'EUR' } });
    await trigger('CAPTURE:true', { ...about, money: { amount: '25.90', currency: 'USD' } });
    await trigger('CAPTURE:true', { ...about, providerReference: 'A-ANOTHER' });
    expect(await trip.fetched(payment)).to.deep.equal(['WAIT pending 25.90']);
    await trigger('AUTH:true', about);
    expect(await trip.fetched(payment)).to.deep.equal(['HOLD authorised 25.90']);
    await trigger('CAPTURE:true', { ...about, times: 3 });
    await trigger('AUTH:false', about);
    await trigger('refund done', { ...about, money: { amount: '10', currency: 'EUR' } });
    await trigger('REFUND:true', { ...about, money: { amount: '10', currency: 'EUR' } });
    await trigger('chargeback opened', about);
    expect(await trip.fetched(payment)).to.deep.equal([
      'OK succeeded 25.90',
      'returned succeeded 10.00',
      'disputed opened 25.90',
    ]);
    await trigger('chargeback won', about);
    expect(await trip.fetched(payment)).to.have.length(2);
    expect(trip.heard.map(({ outcome }) => outcome).filter((one) => one !== 'accepted')).to.deep.equal([
      'invalid_signature',
    ]);
  });

  it('reports one refund on both routes with one identity', async () => {
    await trigger('refund done', { providerReference: 'A-7H2K9Q' });
    await trigger('REFUND:true', { providerReference: 'A-7H2K9Q' });
    const keys = trip.heard.flatMap(({ events: reported }) => reported.map(({ dedupeKey }) => dedupeKey));
    expect(keys).to.have.length(2);
    expect(new Set(keys)).to.have.property('size', 1);
  });

  it('returns the payer, so that the charge can be completed', async () => {
    const payment = await waiting('4000000000003220');
    expect(await trigger('3ds Y', { reference: payment.reference, forge: true })).to.deep.equal([403]);
    expect((await providerA.complete!(payment, { kind: 'return' }, trip.provider)).outcome).to.equal('pending');
    expect(await trigger('3ds Y', { reference: payment.reference })).to.deep.equal([303]);
    expect((await providerA.complete!(payment, { kind: 'return' }, trip.provider)).outcome).to.equal('succeeded');
  });

  it('refuses an unknown event by name', async () => {
    const refused: unknown = await trigger('CAPTURE').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(RangeError).with.property('message').that.contains('CAPTURE:true');
  });
});

function expectedStatus(route: string): number {
  return { providerA3ds: 303, 'providerA-chargeback': 204 }[route] ?? 200;
}
