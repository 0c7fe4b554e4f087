import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { payment, startVisit, type Visit } from './visit.ts';

describe('a trigger of the sandbox', () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  const facts = { reference: 'GW-77-1', providerReference: '4200000000000000099', times: 1, forge: false };
  const money = { amount: '1.5', currency: 'KWD' };

  for (const [event, reported] of [
    ['PAID', 'PAID succeeded'],
    ['UNPAID', 'UNPAID failed'],
    ['REFUND_BACK', 'REFUND_BACK reversed'],
    ['DISPUTE_WON', 'DISPUTE_WON won'],
  ] as const) {
    it(`sends ${event} of an unknown payment`, async () => {
      const replies = await visit.trip.trigger({ ...facts, event, money, times: 2 });
      expect(replies.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(visit.trip.reported()).to.deep.equal([reported, reported]);
      expect(visit.events()[0]).to.include({ reference: 'GW-77-1', amount: '1.500', currency: 'KWD' });
      expect(visit.events()[0]!.dedupeKey).to.equal(visit.events()[1]!.dedupeKey);
    });
  }

  it('sends a probe, and a probe with a wrong signature', async () => {
    const [reply] = await visit.trip.trigger({ ...facts, event: 'probe', money });
    expect(reply!.body.toString()).to.match(/^\{"code":"SUCCESS","echo":"[0-9a-f]{64}"\}$/);
    const [refused] = await visit.trip.trigger({ ...facts, event: 'probe', money, forge: true });
    expect(refused!.status).to.equal(401);
  });

  it('forges, shows its reports about known charges, and refuses an unknown event', async () => {
    const given = payment();
    const outcome = await visit.trip.submit(given);
    await visit.hears('PAID succeeded');
    const about = { ...facts, reference: given.reference, providerReference: null, money: given.money };
    expect((await visit.trip.trigger({ ...about, event: 'DISPUTED', forge: true }))[0]!.status).to.equal(401);
    await visit.trip.trigger({ ...about, event: 'DISPUTED' });
    expect(visit.events().at(-1)).to.include({
      providerStatus: 'DISPUTED',
      providerReference: outcome.providerReference,
    });
    expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal([
      'PAID succeeded 25.90',
      'DISPUTED opened 25.90',
    ]);
    const failed = await visit.trip.trigger({ ...about, event: 'SCORED' }).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(RangeError);
  });
});
