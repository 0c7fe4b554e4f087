import type { HttpReply, HttpRequest, Outcome, Submission } from '@paywright/contract';
import { firstRefund, realHttp, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerE from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness, xmlSubmission } from '../messages.ts';

const { options } = harness;

/** The statuses of each interface for the same events. */
const ways = [
  {
    name: 'XML orders',
    isH2h: false,
    route: 'providerE',
    sent: 'SENT pending',
    held: 'AUTHORISED authorised',
    paid: 'CAPTURED succeeded',
    refused: (_rc: string) => 'REFUSED failed',
    refundSent: 'REFUND_SENT pending',
    refunded: 'REFUNDED succeeded',
    partRefunded: 'PART_REFUNDED succeeded',
    disputed: 'CHARGED_BACK opened',
    lost: 'CB_LOST lost',
  },
  {
    name: 'host-to-host payments',
    isH2h: true,
    route: 'providerEh2h',
    sent: 'sale/2000 pending',
    held: 'sale/2002 authorised',
    paid: 'sale/0000 succeeded',
    refused: (rc: string) => `sale/${rc} failed`,
    refundSent: 'refund/2000 pending',
    refunded: 'refund/0000 succeeded',
    partRefunded: 'refund/0000 succeeded',
    disputed: 'dispute/7000 opened',
    lost: 'dispute/7002 lost',
  },
] as const;

const start = (delayMs = 8): Promise<RoundTrip<Options>> =>
  startRoundTrip({ adapter: providerE, createSandbox, options, delayMs });

for (const way of ways) {
  describe(`the adapter with its sandbox: ${way.name}`, () => {
    let trip: RoundTrip<Options>;
    let count = 0;

    beforeEach(async () => {
      trip = await start();
    });
    afterEach(() => trip.close());

    /** Restarts with another delay. */
    async function restart(delayMs: number): Promise<void> {
      await trip.close();
      trip = await start(delayMs);
    }

    function payment(
      number = '4111111111111111',
      amount = '25.9',
      more: Partial<Submission<'card'>> = {},
    ): Submission<'card'> {
      count += 1;
      return {
        ...xmlSubmission,
        isH2h: way.isH2h,
        reference: `GW-${count}-1`,
        money: { amount, currency: 'EUR' },
        sandbox: true,
        card: { ...xmlSubmission.card, number },
        ...more,
      };
    }

    const fetched = (given: Submission<'card'>, outcome: Outcome): Promise<string[]> =>
      trip.fetched(trip.toStored(given, outcome));
    const askedBack = (given: Submission<'card'>, outcome: Outcome, number: number, amount: string): Promise<Outcome> =>
      providerE.refund!(
        trip.toStored(given, outcome),
        { reference: `${given.reference}-R${number}`, money: { amount, currency: 'EUR' }, ...firstRefund },
        trip.provider,
      );

    /** Waits until exactly these events were reported, in any order: two connections may overtake each other. */
    async function hears(...reported: readonly string[]): Promise<void> {
      await trip.until(() => trip.reported().length >= reported.length);
      expect(trip.reported().sort()).to.deep.equal([...reported].sort());
    }

    for (const number of ['4111111111111111', '5555555555554444', '4000000000003220', '6304000000000000']) {
      it(`approves card ${number}, in the answer and by callback`, async () => {
        const given = payment(number);
        const outcome = await trip.submit(given);
        expect(outcome).to.deep.equal({ outcome: 'succeeded', providerReference: outcome.providerReference });
        expect(outcome.providerReference).to.match(way.isH2h ? /^1\d{17}$/ : /^E0\d{18}$/);
        await hears(way.paid);
        expect(trip.heard[0]).to.include({ route: way.route, outcome: 'accepted' });
        expect(trip.heard[0]?.events[0]).to.include({
          reference: given.reference,
          providerReference: outcome.providerReference,
          amount: '25.90',
          currency: 'EUR',
        });
        expect(await fetched(given, outcome)).to.deep.equal([`${way.paid} 25.90`]);
      });
    }

    for (const [number, decline, rc] of [
      ['4000000000000002', '05', '4005'],
      ['4000000000009995', '51', '4051'],
      ['4000000000000069', '54', '4054'],
      ['4000000000000127', '57', '4057'],
      ['4000000000000259', '61', '4061'],
    ] as const) {
      it(`declines card ${number} with ${decline}`, async () => {
        const given = payment(number);
        const outcome = await trip.submit(given);
        expect(outcome).to.include({ outcome: 'failed', decline }).and.not.have.property('unknownStatus');
        await hears(way.refused(rc));
        expect(trip.heard[0]?.events[0]).to.include({ decline });
        const report = await trip.fetchStatus(trip.toStored(given, outcome));
        expect(report.result === 'events' && report.events[0]).to.include({ decline });
      });
    }

    it('leaves a card pending and settles it by callback', async () => {
      const [good, bad, never] = [
        payment('4000000000003063'),
        payment('4000000000003089'),
        payment('4000000000003097'),
      ];
      const outcomes = [await trip.submit(good), await trip.submit(bad), await trip.submit(never)] as const;
      expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['pending', 'pending', 'pending']);
      expect(outcomes[0]).not.to.have.property('authorised');
      await hears(way.paid, way.refused('4005'));
      expect((await fetched(good, outcomes[0])).at(-1)).to.equal(`${way.paid} 25.90`);
      expect((await fetched(bad, outcomes[1])).at(-1)).to.equal(`${way.refused('4005')} 25.90`);
      expect(await fetched(never, outcomes[2])).to.deep.equal([`${way.sent} 25.90`]);
    });

    it('reserves the money first if capture waits', async () => {
      await restart(120);
      const given = payment(undefined, undefined, { captureDelayHours: 3 });
      const outcome = await trip.submit(given);
      expect(outcome).to.include({ outcome: 'pending', authorised: true });
      expect(await fetched(given, outcome)).to.deep.equal([`${way.held} 25.90`]);
      await hears(way.paid);
      expect((await fetched(given, outcome)).at(-1)).to.equal(`${way.paid} 25.90`);
    });

    it('charges and closes the connection for the silent card', async () => {
      const given = payment('4000000000006975');
      const outcome = await trip.submit(given);
      expect(outcome.outcome).to.equal('unknown');
      expect(await fetched(given, outcome)).to.deep.equal([`${way.paid} 25.90`]);
      await hears(way.paid);
      expect((await trip.submit(given)).outcome).to.equal('succeeded');
    });

    it('refunds card 0341 completely later', async () => {
      const given = payment('4000000000000341');
      const outcome = await trip.submit(given);
      await hears(way.paid, way.refunded);
      const refund = trip.heard.flatMap(({ events }) => events).find(({ kind }) => kind === 'refund');
      expect(refund).to.include({ amount: '25.90', providerReference: outcome.providerReference });
      expect('subReference' in refund!).to.equal(way.isH2h);
      expect(await fetched(given, outcome)).to.deep.equal([`${way.paid} 25.90`, `${way.refunded} 25.90`]);
    });

    it('opens and loses a chargeback for card 0440', async () => {
      const given = payment('4000000000000440');
      const outcome = await trip.submit(given);
      await hears(way.paid, way.disputed, way.lost);
      const disputes = trip.heard.flatMap(({ events }) => events).filter(({ kind }) => kind === 'chargeback');
      expect(new Set(disputes.map(({ subReference }) => subReference)).size).to.equal(1);
      expect(new Set(disputes.map(({ dedupeKey }) => dedupeKey)).size).to.equal(2);
      expect(await fetched(given, outcome)).to.deep.equal([
        `${way.paid} 25.90`,
        ...(way.isH2h ? [] : [`${way.disputed} 25.90`]),
        `${way.lost} 25.90`,
      ]);
    });

    describe('the sandbox, by amount', () => {
      it('fails .50 and charges nothing', async () => {
        const given = payment(undefined, '25.5');
        const outcome = await trip.submit(given);
        expect(outcome).to.include({ outcome: 'failed', nothingCharged: true, reason: 'E answered 500 INTERNAL' });
        expect(await fetched(given, outcome)).to.deep.equal(['nothing_charged']);
      });

      it('asks to wait once for .51', async () => {
        const { http } = trip.provider;
        const statuses: string[] = [];
        const send = async (request: HttpRequest): Promise<HttpReply> => {
          const answer = await realHttp(trip.sandboxUrl).send(request);
          const wait = answer.headers.find(([name]) => name === 'Retry-After')?.[1];
          statuses.push(`${answer.status} ${wait ?? ''}`.trim());
          return answer;
        };
        const given = payment(undefined, '25.51');
        expect(await providerE.submit(given, { ...trip.provider, http: { send } })).to.include({
          nothingCharged: true,
          reason: 'E answered 429 TOO_MANY',
        });
        expect((await providerE.submit(given, { ...trip.provider, http: { send } })).outcome).to.equal('succeeded');
        expect(statuses).to.deep.equal(['429 1', '200']);
        expect((await providerE.submit(payment(undefined, '25.51'), { ...trip.provider, http })).outcome).to.equal(
          'succeeded',
        );
      });

      it('shows the page of a proxy for .52 and charges nothing', async () => {
        const given = payment(undefined, '25.52');
        const outcome = await trip.submit(given);
        expect(outcome.outcome).to.equal('unknown');
        expect(await fetched(given, outcome)).to.deep.equal(['nothing_charged']);
      });

      it('truncates the answer for .53, and gives it completely to a repetition', async () => {
        const given = payment(undefined, '25.53');
        const outcome = await trip.submit(given);
        expect(outcome.outcome).to.equal('unknown');
        expect(await fetched(given, outcome)).to.deep.equal([`${way.paid} 25.90`.replace('25.90', '25.53')]);
        expect((await trip.submit(given)).outcome).to.equal('succeeded');
        await hears(way.paid);
      });

      it('delivers three times for .54', async () => {
        await trip.submit(payment(undefined, '25.54'));
        await hears(way.paid, way.paid, way.paid);
        const keys = trip.heard.map(({ events }) => events[0]?.dedupeKey);
        expect(new Set(keys).size).to.equal(1);
      });

      it('reports before the answer for .55, including a payment that the answer calls pending', async () => {
        for (const [number, outcome] of [
          ['4111111111111111', 'succeeded'],
          ['4000000000003063', 'pending'],
        ] as const) {
          const before = trip.heard.length;
          expect((await trip.submit(payment(number, '25.55'))).outcome).to.equal(outcome);
          expect(trip.heard).to.have.length(before + 1);
        }
      });

      for (const number of ['4111111111111111', '4000000000003063', '4000000000000002']) {
        it(`reports the end before the beginning of card ${number} for .56`, async () => {
          await restart(80); // Long enough apart that no connection overtakes another.
          const given = payment(number, '25.56');
          const outcome = await trip.submit(given);
          await trip.until(() => trip.heard.length === 2);
          const end = number.endsWith('0002') ? way.refused('4005') : way.paid;
          expect(trip.reported()).to.deep.equal([end, way.sent]);
          const [first, second] = trip.heard.map(({ events }) => events[0]!);
          if (!way.isH2h) expect(first!.orderHint).to.equal(second!.orderHint! + 1);
          expect((await fetched(given, outcome)).at(-1)).to.equal(`${end} 25.56`);
        });
      }

      it('signs incorrectly first for .57', async () => {
        await trip.submit(payment(undefined, '25.57'));
        await hears(way.paid);
        expect(trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['invalid_signature', 'accepted']);
      });

      it('has no such rules in a currency without decimals, and reads .500 of three decimals as .50', async () => {
        const yen = { money: { amount: '2550', currency: 'JPY' } };
        expect((await trip.submit(payment(undefined, '', yen))).outcome).to.equal('succeeded');
        const dinar = { money: { amount: '25.5', currency: 'KWD' } };
        expect(await trip.submit(payment(undefined, '', dinar))).to.include({ nothingCharged: true });
      });
    });

    it('accepts amount 0, empty and long texts, and characters that XML cannot represent', async () => {
      const payer = { ...xmlSubmission.payer, name: '', city: '<&">\u0001\u{1F600}', state: 'x'.repeat(5000) };
      expect((await trip.submit(payment(undefined, '0', { payer }))).outcome).to.equal('succeeded');
      await hears(way.paid);
    });

    it('refunds a part, then the rest, and no more', async () => {
      const given = payment();
      const outcome = await trip.submit(given);
      await hears(way.paid);
      const first = await askedBack(given, outcome, 1, '10');
      expect(first.outcome).to.equal('pending');
      if (way.isH2h) expect(first.providerReference).to.match(/^\d{18}$/);
      else expect(first.providerReference).to.equal(outcome.providerReference);
      expect(await askedBack(given, outcome, 1, '10')).to.deep.equal(first);
      expect((await askedBack(given, outcome, 1, '11')).outcome).to.equal('unknown');
      expect(await askedBack(given, outcome, 2, '15.91')).to.include({ outcome: 'failed', nothingCharged: true });
      await hears(way.paid, way.partRefunded);
      expect((await askedBack(given, outcome, 3, '15.9')).outcome).to.equal('pending');
      await hears(way.paid, way.partRefunded, way.partRefunded);
      expect(await askedBack(given, outcome, 4, '0.01')).to.include({ outcome: 'failed', nothingCharged: true });
      const reported = trip.heard.flatMap(({ events }) => events).filter(({ kind }) => kind === 'refund');
      expect(reported.map(({ amount }) => amount)).to.deep.equal(['10.00', '15.90']);
      expect(reported[0]!.subReference).to.equal(way.isH2h ? first.providerReference : undefined);
    });

    it('refunds the complete amount at once, and nothing of an unpaid payment', async () => {
      const given = payment();
      const outcome = await trip.submit(given);
      expect((await askedBack(given, outcome, 1, '25.9')).outcome).to.equal('pending');
      await hears(way.paid, way.refunded);
      const open = payment('4000000000003097');
      expect(await askedBack(open, await trip.submit(open), 1, '1')).to.include({ nothingCharged: true });
      const strange = { outcome: 'succeeded', providerReference: '7' } as const;
      expect(await askedBack(payment(), strange, 1, '1')).to.include({ reason: 'E answered 404 NO_ORDER' });
    });

    it('delivers an unacknowledged message five times in total', async () => {
      trip.answer('try_later');
      await trip.submit(payment());
      await trip.until(() => trip.deliveries.length === 5);
      expect(trip.deliveries.every(({ reply, acknowledged }) => reply?.status === 503 && !acknowledged)).to.equal(true);
    });

    it('charges once under one reference, and refuses a repetition with different values', async () => {
      const given = payment();
      const first = await trip.submit(given);
      expect(await trip.submit(given)).to.deep.equal(first);
      const dearer = { ...given, money: { amount: '26', currency: 'EUR' } };
      expect(await trip.submit(dearer)).to.include({ outcome: 'unknown', reason: 'E answered 409 CODE_REUSED' });
      const otherCard = { ...given, card: { ...given.card, number: '5555555555554444' } };
      expect((await trip.submit(otherCard)).outcome).to.equal('unknown');
      expect((await trip.submit({ ...given, isH2h: !way.isH2h })).outcome).to.equal('unknown');
      await hears(way.paid);
    });

    it('answers a repetition with the current state of the payment', async () => {
      const given = payment('4000000000003063');
      expect((await trip.submit(given)).outcome).to.equal('pending');
      await hears(way.paid);
      expect((await trip.submit(given)).outcome).to.equal('succeeded');
    });

    it('does not find an order of the other interface', async () => {
      const given = payment();
      const outcome = await trip.submit(given);
      const { providerReference: _, ...bare } = trip.toStored(given, outcome);
      expect(await trip.fetched({ ...bare, isH2h: !way.isH2h })).to.deep.equal(['nothing_charged']);
    });

    it('sends on demand every event that E may report, and shows it afterwards', async () => {
      const given = payment('4000000000003097');
      const outcome = await trip.submit(given);
      const trigger = (event: string, more = {}) =>
        trip.trigger({
          event: event.split(' ')[0]!,
          reference: given.reference,
          providerReference: outcome.providerReference!,
          money: given.money,
          times: 1,
          forge: false,
          ...more,
        });
      await trigger(way.paid, { forge: true });
      expect(trip.heard[0]?.outcome).to.equal('invalid_signature');
      expect(await fetched(given, outcome)).to.deep.equal([`${way.sent} 25.90`]);
      await trigger(way.paid, { times: 2 });
      await trigger(way.disputed);
      await trigger(way.lost);
      const part = { money: { amount: '5', currency: 'EUR' } };
      await trigger(way.refundSent, part);
      await trigger(way.partRefunded, part);
      expect(trip.reported()).to.deep.equal([
        way.paid,
        way.paid,
        way.disputed,
        way.lost,
        way.refundSent,
        way.partRefunded,
      ]);
      const events = trip.heard.flatMap((heard) => heard.events);
      expect(events.every(({ providerReference }) => providerReference === outcome.providerReference)).to.equal(true);
      expect(events[2]!.subReference).to.equal(events[3]!.subReference);
      expect(events[4]!.subReference).to.equal(events[5]!.subReference);
      expect(new Set(events.map(({ dedupeKey }) => dedupeKey)).size).to.equal(5);
      expect(await askedBack(given, outcome, 1, '20.91')).to.include({ nothingCharged: true });
      expect((await fetched(given, outcome)).at(-1)).to.equal(`${way.partRefunded} 5.00`);
    });

    it('sends events on demand for an unknown payment', async () => {
      const money = { amount: '7', currency: 'EUR' };
      const facts = { reference: 'GW-9-1', providerReference: null, money, times: 1, forge: false };
      await trip.trigger({ ...facts, event: way.refunded.split(' ')[0]! });
      await trip.trigger({ ...facts, event: way.refused('4051').split(' ')[0]! });
      const [refund, refused] = trip.heard.flatMap(({ events }) => events);
      expect(refund).to.include({ kind: 'refund', reference: 'GW-9-1', amount: '7.00' });
      expect(refused).to.include({ providerReference: refund!.providerReference, status: 'failed' });
      expect(refused).to.have.property('decline');
      await trip.trigger({ ...facts, event: 'no_event' }).then(
        () => expect.fail('sent'),
        (error: unknown) => expect(error).to.be.instanceOf(RangeError),
      );
    });
  });
}
