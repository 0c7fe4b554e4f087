import { hmacValidator as HmacValidator } from '@adyen/api-library';
import type { Outcome, Submission } from '@paywright/contract';
import { sendRequest } from '@paywright/contract/sandbox';
import { firstRefund, startRoundTrip, type RoundTrip, firstVoid } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { checkAccount } from '../../check-account.ts';
import adyen from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { events } from '../../sandbox/trigger.ts';
import { harness } from '../messages.ts';

const { options, submission } = harness;

describe('the adapter with its sandbox', () => {
  let trip: RoundTrip<Options>;
  let count = 0;
  beforeEach(async () => {
    trip = await startRoundTrip({ adapter: adyen, createSandbox, options });
  });
  afterEach(() => trip.close());

  function payment(
    number = '4111111111111111',
    amount = '25.9',
    more: Partial<Submission<'card'>> = {},
  ): Submission<'card'> {
    count += 1;
    const money = { amount, currency: 'EUR' };
    const card = { ...submission.card, number };
    return { ...submission, reference: `GW-${count}-1`, money, sandbox: true, card, ...more };
  }
  /** Waits until exactly these events were reported, in any order: two connections may overtake each other. */
  async function hears(...reported: readonly string[]): Promise<void> {
    await trip.until(() => trip.reported().length >= reported.length);
    expect(trip.reported().sort()).to.deep.equal([...reported].sort());
  }
  async function paid(more: Partial<Submission<'card'>> = {}, number?: string) {
    const given = payment(number, undefined, more);
    const outcome = await trip.submit(given);
    return { given, outcome, stored: trip.toStored(given, outcome) };
  }

  it('approves a card, and reports it in a webhook that Adyen’s library verifies', async () => {
    const { outcome } = await paid();
    expect(outcome).to.include({ outcome: 'succeeded', threeDs: 'none' });
    await hears('AUTHORISATION:true succeeded');
    const body = JSON.parse(String(trip.deliveries[0]?.request?.body)) as {
      notificationItems: { NotificationRequestItem: Parameters<HmacValidatorType['validateHMAC']>[0] }[];
    };
    const [{ NotificationRequestItem: item } = { NotificationRequestItem: undefined }] = body.notificationItems;
    expect(new HmacValidator().validateHMAC(item!, options.hmacKeys[0]!)).to.equal(true);
  });

  for (const [number, decline] of [
    ['4000000000000002', '05'],
    ['4000000000009995', '51'],
    ['4000000000000069', '54'],
    ['4000000000000127', '57'],
    ['4000000000000259', '61'],
  ] as const) {
    it(`declines card ${number} with ${decline}`, async () => {
      expect((await paid({}, number)).outcome).to.include({ outcome: 'failed', decline });
      await hears('AUTHORISATION:false failed');
    });
  }

  it('leaves a card pending, and only a webhook settles it', async () => {
    const outcomes = [
      await paid({}, '4000000000003063'),
      await paid({}, '4000000000003089'),
      await paid({}, '4000000000003097'),
    ];
    expect(outcomes.map(({ outcome }) => outcome.outcome)).to.deep.equal(['pending', 'pending', 'pending']);
    await hears('AUTHORISATION:false failed', 'AUTHORISATION:true succeeded');
  });

  it('does not answer for the silent card, reports it, and answers a repetition', async () => {
    const { given, outcome } = await paid({}, '4000000000006975');
    expect(outcome.outcome).to.equal('unknown');
    await hears('AUTHORISATION:true succeeded');
    expect((await trip.submit(given)).outcome).to.equal('succeeded');
    expect(trip.heard).to.have.length(1);
  });

  it('refunds card 0341 completely later, and disputes card 0440 until the dispute is lost', async () => {
    await paid({}, '4000000000000341');
    await hears('AUTHORISATION:true succeeded', 'REFUND:true succeeded');
    await paid({}, '4000000000000440');
    await trip.until(() => trip.reported().length === 5);
    const disputed = trip.heard.flatMap((heard) => heard.events).filter(({ kind }) => kind === 'chargeback');
    expect(disputed.map(({ status }) => status).sort()).to.deep.equal(['lost', 'opened']);
    expect(new Set(disputed.map(({ subReference }) => subReference)).size).to.equal(1);
    expect(disputed[0]).to.have.nested.property('details.reasonCode', '10.4');
  });

  describe('3D Secure', () => {
    /** Presses a button of the page. Returns the query that the page adds to the payer's return address. */
    async function press(outcome: Outcome, result: string): Promise<string> {
      const url = outcome.outcome === 'pending' && outcome.action?.type === 'redirect' ? outcome.action.url : '';
      expect((await sendRequest({ method: 'GET', url }, 5000)).body.toString()).to.contain(`value="${result}"`);
      const back = await sendRequest({ method: 'POST', url, body: `result=${result}` }, 5000);
      const [start, query = ''] = (Object.fromEntries(back.headers)['Location'] ?? '').split('&');
      expect(start).to.equal(trip.provider.threeDsReturnUrl);
      return query;
    }

    for (const [number, more, result, expected, reported] of [
      [
        '4000000000003220',
        {},
        'pass',
        { outcome: 'succeeded', threeDs: 'authenticated' },
        'AUTHORISATION:true succeeded',
      ],
      ['4000000000003220', {}, 'fail', { outcome: 'failed', threeDsResult: 'N' }, 'AUTHORISATION:false failed'],
      ['4111111111111111', { is3ds: true }, 'pass', { outcome: 'succeeded' }, 'AUTHORISATION:true succeeded'],
      ['4000000000009995', { is3ds: true }, 'pass', { outcome: 'failed', decline: '51' }, 'AUTHORISATION:false failed'],
    ] as const) {
      it(`is ${result === 'pass' ? 'passed' : 'failed'} with card ${number}${'is3ds' in more ? ' on demand' : ''}`, async () => {
        const { outcome, stored } = await paid(more, number);
        expect(await trip.complete(stored)).to.deep.equal({ outcome: 'pending', action: stored.action });
        const query = await press(outcome, result);
        expect(await trip.complete(stored, query)).to.include(expected);
        await hears(reported);
        expect(await trip.complete(stored, query)).to.include(expected);
        expect(trip.heard).to.have.length(1);
      });
    }

    it('is skipped on demand', async () => {
      expect((await paid({ is3ds: false }, '4000000000003220')).outcome.outcome).to.equal('succeeded');
    });

    it('accepts no other result', async () => {
      const { stored } = await paid({}, '4000000000003220');
      expect(await trip.complete(stored, 'redirectResult=made-up')).to.include({ nothingCharged: true });
    });
  });

  describe('reserved money', () => {
    const held = { captureDelayHours: 3 };
    const tenEuro = { amount: '10', currency: 'EUR' };

    it('is captured by Adyen automatically after the delay', async () => {
      expect((await paid(held)).outcome).to.include({ outcome: 'pending', authorised: true });
      await hears('AUTHORISATION:true authorised', 'CAPTURE:true succeeded');
    });

    it('is captured in part or released, and neither twice', async () => {
      await trip.close();
      // Long enough for our request before Adyen captures automatically.
      trip = await startRoundTrip({ adapter: adyen, createSandbox, options, delayMs: 150 });
      const [first, second] = [await paid(held), await paid(held)];
      const capture = { reference: `${first.given.reference}-C`, money: tenEuro };
      expect(await adyen.capture!(first.stored, capture, trip.provider)).to.include({ outcome: 'pending' });
      expect(await adyen.void!(second.stored, trip.provider, { reference: `${second.given.reference}-V` })).to.include({
        outcome: 'pending',
      });
      expect(await adyen.void!(first.stored, trip.provider, { reference: `${first.given.reference}-V` })).to.include({
        outcome: 'pending',
      });
      const reported = () => trip.reported().sort().join();
      await trip.until(() => reported().includes('CANCELLATION:true') && reported().includes('CANCELLATION:false'));
      const captured = trip.heard
        .flatMap((heard) => heard.events)
        .filter(({ providerStatus }) => providerStatus === 'CAPTURE:true');
      expect(captured[0]).to.include({ amount: '10.00', reference: first.given.reference });
    });
  });

  describe('reserved money with a capture or cancel request', () => {
    beforeEach(async () => {
      await trip.close();
      trip = await startRoundTrip({ adapter: adyen, createSandbox, options, delayMs: 150 });
    });
    const reserved = async (amount: string) => {
      const given = payment(undefined, amount, { captureDelayHours: 3 });
      return trip.toStored(given, await trip.submit(given));
    };
    const captured = async (amount: string) => {
      const stored = await reserved(amount);
      return adyen.capture!(stored, { reference: `${stored.reference}-C`, money: stored.money }, trip.provider);
    };

    it('stays authorised if Adyen refuses the request afterwards', async () => {
      await captured('25.58');
      await adyen.void!(await reserved('25.58'), trip.provider, firstVoid);
      await hears(
        'AUTHORISATION:true authorised',
        'AUTHORISATION:true authorised',
        'CANCELLATION:false authorised',
        'CAPTURE:false authorised',
      );
    });

    it('is failed by the scheme after the capture, and Adyen no longer captures automatically', async () => {
      await captured('25.59');
      await hears('AUTHORISATION:true authorised', 'CAPTURE:true succeeded', 'CAPTURE_FAILED:true failed');
    });
  });

  describe('a refund', () => {
    it('is reported under its own reference, and refused beyond the remaining amount', async () => {
      const { given, stored } = await paid();
      const ask = (number: number, amount: string): Promise<Outcome> => {
        const refund = {
          reference: `${given.reference}-R${number}`,
          money: { amount, currency: 'EUR' },
          ...firstRefund,
        };
        return adyen.refund!(stored, refund, trip.provider);
      };
      const first = await ask(1, '10');
      expect(await ask(1, '10')).to.deep.equal(first);
      await ask(2, '15.91');
      await hears('AUTHORISATION:true succeeded', 'REFUND:true succeeded', 'REFUND:false failed');
      const given1 = trip.heard
        .flatMap((heard) => heard.events)
        .find(({ status, kind }) => kind === 'refund' && status === 'succeeded');
      expect(given1).to.include({ amount: '10.00', subReference: first.providerReference, reference: given.reference });
    });

    it('fail, or come back, depending on their amounts', async () => {
      const { given, stored } = await paid();
      for (const [at, amount] of ['1.58', '1.59'].entries()) {
        const refund = {
          reference: `${given.reference}-R${at + 1}`,
          money: { amount, currency: 'EUR' },
          ...firstRefund,
        };
        await adyen.refund!(stored, refund, trip.provider);
      }
      await hears(
        'AUTHORISATION:true succeeded',
        'REFUND:false failed',
        'REFUND:true succeeded',
        'REFUNDED_REVERSED:true reversed',
      );
    });
  });

  it('misbehaves as the amount demands', async () => {
    const outcomes: string[] = [];
    for (const amount of ['25.50', '25.51', '25.52', '25.53'])
      outcomes.push((await trip.submit(payment(undefined, amount))).outcome);
    expect(outcomes).to.deep.equal(['unknown', 'succeeded', 'unknown', 'unknown']);
    await hears('AUTHORISATION:true succeeded', 'AUTHORISATION:true succeeded');
    await trip.submit(payment(undefined, '25.57'));
    await trip.until(() => trip.heard.length === 4);
    expect(trip.heard.slice(2).map(({ outcome }) => outcome)).to.deep.equal(['invalid_signature', 'accepted']);
  });

  it('passes checkAccount', async () => {
    const findings = await checkAccount(trip.provider);
    expect(findings.map(({ ok }) => ok)).to.deep.equal([true, true, true]);
  });

  it('sends every event on demand, and the adapter accepts each', async () => {
    const money = { amount: '25.9', currency: 'EUR' };
    for (const event of events) {
      const [answer] = await trip.trigger({
        event,
        reference: 'GW-900-1',
        providerReference: null,
        money,
        times: 1,
        forge: false,
      });
      expect([answer?.status, answer?.body.toString()], event).to.deep.equal([200, '[accepted]']);
    }
    const [forged] = await trip.trigger({
      event: 'REFUND:true',
      reference: 'GW-900-1',
      providerReference: null,
      money,
      times: 1,
      forge: true,
    });
    expect(forged?.status).to.equal(401);
  });
});

type HmacValidatorType = InstanceType<typeof HmacValidator>;
