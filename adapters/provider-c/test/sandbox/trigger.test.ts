import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import createSandbox from '../../sandbox/index.ts';
import { harness } from '../messages.ts';
import { payment, startVisit, type Visit } from './visit.ts';

const { options } = harness;

describe('the sandbox on demand', () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  const events = createSandbox({
    options,
    providerSide: {},
    baseUrl: 'http://127.0.0.1:1',
    publicUrl: 'http://127.0.0.1:1',
    delayMs: 1,
  }).events!;
  const wanted = {
    reference: 'GW-77-1',
    providerReference: '12345678901234567890',
    money: { amount: '1.5', currency: 'KWD' },
    times: 1,
    forge: false,
  };

  it('sends each of its events, none of which is unknown', async () => {
    expect(events).to.have.length(17);
    for (const event of events) {
      const [reply] = await visit.trip.trigger({ ...wanted, event });
      const isPage = event.startsWith('page ');
      expect(reply!.status).to.equal(isPage ? 303 : 200);
      const heard = visit.trip.heard.at(-1)!;
      expect(heard).to.include({ route: isPage ? 'providerChp' : 'providerC', outcome: 'accepted' });
      expect(heard.events[0]).to.include({
        providerStatus: event.replace('page ', ''),
        reference: 'GW-77-1',
        providerReference: wanted.providerReference,
        amount: '1.500',
        currency: 'KWD',
      });
      expect(heard.events[0]!.status).not.to.equal('unknown');
    }
  });

  it('sends an event as often as requested, always with the same facts, or forged', async () => {
    for (const event of ['refunded', 'page success']) {
      const before = visit.trip.heard.length;
      await visit.trip.trigger({ ...wanted, event, times: 3 });
      const facts = visit.trip.heard.slice(before).map(({ events: heard }) => JSON.stringify(heard));
      expect([facts.length, new Set(facts).size]).to.deep.equal([3, 1]);
      const [refused] = await visit.trip.trigger({ ...wanted, event, forge: true });
      expect(refused!.status).to.equal(403);
    }
  });

  it('reports the same afterwards, and keeps nothing of a forged event', async () => {
    const given = payment('4000000000003097', '20');
    const stored = visit.trip.toStored(given, await visit.trip.submit(given));
    const notify = (event: string, amount: string, forge = false) =>
      visit.trip.trigger({
        ...wanted,
        event,
        forge,
        reference: given.reference,
        providerReference: null,
        money: { amount, currency: 'EUR' },
      });
    await notify('failure', '20', true);
    expect(await visit.trip.fetched(stored)).to.deep.equal(['pending pending 20.00']);
    await notify('success', '20');
    await notify('failure', '20');
    await notify('refunded', '5');
    await notify('disputeback', '20');
    expect(await visit.trip.fetched(stored)).to.deep.equal([
      'success succeeded 20.00',
      'c_refunded succeeded 5.00',
      'back reversed 20.00',
    ]);
    expect(await visit.refund(stored, 1, '15.01')).to.include({ nothingCharged: true });
    expect(visit.trip.heard.at(-1)!.events[0]!.providerReference).to.equal(stored.providerReference);

    const strange = { ...stored, reference: 'GW-78-1' };
    await visit.trip.trigger({ ...wanted, event: 'success', reference: 'GW-78-1', forge: true });
    expect(await visit.trip.fetched(strange)).to.deep.equal(['nothing_charged']);
  });

  it('names an event that it cannot send', async () => {
    for (const [changes, reason] of [
      [{ event: 'settled' }, 'unknown event settled'],
      [{ event: 'success', money: { amount: '1', currency: 'USD' } }, 'no account in USD'],
    ] as const) {
      const failed = await visit.trip.trigger({ ...wanted, ...changes }).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect((failed as Error).message).to.contain(reason);
    }
  });
});
