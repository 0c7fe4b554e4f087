import { headerValues, type StoredPayment } from '@paywright/contract';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import createSandbox from '../../sandbox/index.ts';
import { harness, dealId } from '../messages.ts';
import { payment, startVisit, type Visit } from './visit.ts';

const { options, stored: sample } = harness;

describe('a ping of the sandbox', () => {
  let visit: Visit;

  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  const pingsOf = ({ providerReference: id = '' }: StoredPayment) =>
    visit.pings().filter(({ request }) => request?.url.includes(id));

  /** Waits longer than a change is pinged: until a new change was pinged five times. */
  async function outlasts(): Promise<void> {
    const { stored } = await visit.buy(payment('instant'));
    await visit.trip.until(() => pingsOf(stored).length === 5);
  }

  it('contains the id twice, a request id, and a signature', async () => {
    const { stored } = await visit.buy(payment('instant'));
    await visit.pinged(1);
    const [{ request } = {}] = visit.pings();
    const id = stored.providerReference!;
    expect(request).to.include({ method: 'POST', body: `f_id=${id}` });
    expect(request?.url).to.equal(`${visit.trip.provider.publicUrl}/callbacks/providerF?f_id=${id}`);
    const headers = { headers: Object.entries(request!.headers!) };
    expect(headerValues(headers, 'x-f-request')[0]).to.match(/^rq-[A-Z0-9]+$/);
    expect(headerValues(headers, 'x-f-sign')[0]).to.match(/^ts=\d{13},v1=[0-9a-f]{64}$/);
  });

  it('is signed with the first secret that is not empty, otherwise not signed', async () => {
    await visit.trip.close();
    visit = await startVisit({ ...options, pingSecrets: [] });
    await visit.buy(payment('instant'));
    await visit.pinged(1);
    expect(visit.pings()[0]!.request!.headers).to.not.have.property('X-F-Sign');
    expect(visit.trip.heard[0]!.outcome).to.equal('accepted');
    await visit.trip.close();
    visit = await startVisit({ ...options, pingSecrets: ['', 'second'], requireSignedPing: true });
    await visit.buy(payment('instant'));
    await visit.pinged(1);
    expect(visit.trip.heard[0]!.outcome).to.equal('accepted');
  });

  it('arrives five times if the change is not reported as seen, acknowledged or not', async () => {
    const { stored: acknowledged } = await visit.buy(payment('instant'));
    await visit.trip.until(() => pingsOf(acknowledged).length === 5);
    visit.trip.answer('try_later');
    const { stored: refused } = await visit.buy(payment('instant'));
    await visit.trip.until(() => pingsOf(refused).length === 5);
    await outlasts();
    const states = (one: StoredPayment) => pingsOf(one).map((ping) => ping.acknowledged);
    expect(states(acknowledged)).to.deep.equal([true, true, true, true, true]);
    expect(states(refused)).to.deep.equal([false, false, false, false, false]);
  });

  it('ends once the mark was seen', async () => {
    await visit.trip.close();
    visit = await startVisit(options, 30);
    const { stored } = await visit.buy(payment('slow'));
    await visit.pinged(1);
    await visit.see(stored);
    const { length } = pingsOf(stored);
    await outlasts();
    // One more ping may already have been sent.
    expect(pingsOf(stored).length)
      .to.be.within(length, length + 1)
      .and.below(5);
  });

  describe('the sandbox, by amount', () => {
    it('charges nothing and says so: .50', async () => {
      const given = payment('instant', '10.5');
      expect((await visit.buy(given)).outcome).to.deep.equal({
        outcome: 'failed',
        nothingCharged: true,
        reason: 'F answered 500 internal',
      });
      expect(await visit.trip.fetched(visit.trip.toStored(given, { outcome: 'unknown' }))).to.deep.equal([
        'nothing_charged',
      ]);
    });

    it('slows down once: .51', async () => {
      const given = payment('instant', '10.51');
      expect((await visit.buy(given)).outcome.outcome).to.equal('succeeded');
    });

    it('shows a page and charges nothing: .52', async () => {
      const { outcome, stored } = await visit.buy(payment('instant', '10.52'));
      expect(outcome.outcome).to.equal('unknown');
      expect(await visit.trip.fetched(stored)).to.deep.equal(['nothing_charged']);
    });

    for (const [local, said] of [
      ['anybody', 'settled succeeded 10.53'],
      ['lapse', 'settled succeeded 10.53'],
      ['refused-51', 'dropped failed 10.53'],
      ['never', 'open pending 10.53'],
    ] as const) {
      it(`truncates the answer (.53) of ${local}: ${said}`, async () => {
        const { outcome, stored } = await visit.buy(payment(local, '10.53'));
        expect(outcome.outcome).to.equal('unknown');
        expect(await visit.trip.fetched(stored)).to.deep.equal([said]);
      });
    }

    it('reads .500 of three decimals as .50, and has no rules without decimals', async () => {
      expect((await visit.buy(payment('instant', '1.5', 'KWD'))).outcome.outcome).to.equal('failed');
      expect((await visit.buy(payment('instant', '150', 'JPY'))).outcome.outcome).to.equal('succeeded');
    });

    for (const [rule, least] of [
      ['.54', 3],
      ['.56', 2],
    ] as const) {
      it(`pings each change ${least} times with ${rule}, even if it is seen quickly, and five times in total`, async () => {
        const { stored: unseen } = await visit.buy(payment('instant', `10${rule}`));
        await visit.trip.until(() => pingsOf(unseen).length === 5);
        await outlasts();
        expect(pingsOf(unseen)).to.have.length(5);
        await visit.trip.close();
        visit = await startVisit(options, 60);
        const { stored } = await visit.buy(payment('instant', `11${rule}`));
        await visit.see(stored);
        await visit.trip.until(() => pingsOf(stored).length === least);
        await visit.buy(payment('instant'));
        await visit.pinged(least + 2);
        expect(pingsOf(stored)).to.have.length(least);
      });
    }

    for (const [local, outcome] of [
      ['anybody', 'succeeded'],
      ['instant', 'succeeded'],
      ['slow', 'succeeded'],
      ['slow-fail', 'failed'],
    ] as const) {
      it(`pings before the answer (.55) to ${local}: ${outcome}`, async () => {
        const heard: number[] = [];
        const answer = visit.trip.submit(payment(local, '10.55')).then((one) => {
          heard.push(visit.trip.heard.length);
          return one;
        });
        expect((await answer).outcome).to.equal(outcome);
        expect(heard[0]).to.be.greaterThan(0);
        await visit.pinged(5);
      });
    }

    it('pings first with a wrong signature: .57', async () => {
      const { stored } = await visit.buy(payment('instant', '10.57'));
      await visit.pinged(2);
      expect(visit.trip.heard.slice(0, 2).map(({ outcome }) => outcome)).to.deep.equal([
        'invalid_signature',
        'accepted',
      ]);
      expect(visit.pings()[0]).to.include({ forged: true, acknowledged: false });
      await visit.trip.until(() => pingsOf(stored).length === 5);
      await outlasts();
      expect(pingsOf(stored)).to.have.length(5);
    });

    it('uses the amount of a return if the deal’s own amount demands nothing', async () => {
      const { stored } = await visit.buy(payment('instant'));
      await visit.refund(stored, 1, '1.57');
      await visit.pinged(2, 'settled 2');
      expect(visit.pings('settled 2')[0]).to.include({ forged: true });
    });
  });

  describe('a trigger', () => {
    const wanted = {
      reference: 'GW-77-1',
      providerReference: dealId,
      money: { amount: '20', currency: 'EUR' },
      times: 1,
      forge: false,
    };
    const named: StoredPayment = { ...sample, reference: 'GW-77-1', money: wanted.money };
    const { events } = createSandbox({
      options,
      providerSide: {},
      baseUrl: 'http://127.0.0.1:1',
      publicUrl: '',
      delayMs: 1,
    });

    for (const [event, ...said] of [
      ['open', 'open pending 20.00'],
      ['held', 'held authorised 20.00'],
      ['settled', 'settled succeeded 20.00'],
      ['dropped', 'dropped failed 20.00'],
      ['left', 'left cancelled 20.00'],
      ['lapsed', 'lapsed expired 20.00'],
      ['returned', 'settled succeeded 20.00', 'returned succeeded 20.00'],
      ['claim open', 'settled succeeded 20.00', 'open opened 20.00'],
      ['claim won', 'settled succeeded 20.00', 'won won 20.00'],
      ['claim lost', 'settled succeeded 20.00', 'lost lost 20.00'],
      ['claim reversed', 'settled succeeded 20.00', 'reversed reversed 20.00'],
    ] as const) {
      it(`pings ${event} and changes the deal`, async () => {
        expect(events).to.include(event);
        const replies = await visit.trip.trigger({ ...wanted, event, times: 2 });
        expect(replies.map(({ status }) => status)).to.deep.equal([200, 200]);
        expect(visit.trip.heard[1]!.events[0]).to.include({ providerStatus: 'ping', providerReference: dealId });
        expect(await visit.see(named)).to.deep.equal(said);
        expect(visit.trip.deliveries).to.have.length(0);
      });
    }

    it('pings without a change, also about an unknown deal', async () => {
      await visit.trip.trigger({ ...wanted, event: 'ping' });
      expect(await visit.trip.fetched(named)).to.deep.equal(['no_information']);
      await visit.trip.trigger({ ...wanted, event: 'ping', providerReference: null });
      expect(visit.trip.heard[1]!.events[0]!.providerReference).to.match(/^d_[A-Z0-9]{12}$/);
    });

    it('changes a known deal by either name, including its amount', async () => {
      const given = payment('anybody');
      const { stored } = await visit.buy(given);
      const { reference, providerReference = '' } = stored;
      const money = { amount: '25.9', currency: 'EUR' };
      await visit.trip.trigger({ ...wanted, event: 'settled', reference, providerReference: null, money });
      expect(visit.trip.heard[0]!.events[0]).to.include({ providerReference });
      const part = { ...money, amount: '5' };
      for (const one of [providerReference, null]) {
        await visit.trip.trigger({ ...wanted, event: 'returned', reference, providerReference: one, money: part });
      }
      expect(await visit.trip.fetched(stored)).to.deep.equal(['settled succeeded 25.90', 'returned succeeded 10.00']);
      await visit.trip.trigger({
        ...wanted,
        event: 'settled',
        reference,
        providerReference,
        money: { ...money, amount: '1' },
      });
      expect((await visit.trip.fetched(stored))[0]).to.equal('settled succeeded 1.00');
    });

    it('changes nothing if it forges', async () => {
      const [reply] = await visit.trip.trigger({ ...wanted, event: 'settled', forge: true });
      expect(reply!.status).to.equal(401);
      expect(await visit.trip.fetched(named)).to.deep.equal(['no_information']);
    });

    it('refuses an unknown event', async () => {
      const refused = await visit.trip.trigger({ ...wanted, event: 'gone' }).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(RangeError).with.property('message').that.contains('claim reversed');
    });
  });
});
