import type { Outcome, StoredPayment, Submission } from '@paywright/contract';
import { sendRequest, type CallbackReply } from '@paywright/contract/sandbox';
import { firstRefund, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerA from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness } from '../messages.ts';

const { options, submission } = harness;

describe('the adapter with its sandbox', () => {
  let trip: RoundTrip<Options>;
  let count = 0;

  beforeEach(async () => {
    trip = await startRoundTrip({ adapter: providerA, createSandbox, options });
  });
  afterEach(() => trip.close());

  function payment(
    number = '4111111111111111',
    amount = '25.9',
    more: Partial<Submission<'card'>> = {},
  ): Submission<'card'> {
    count += 1;
    const card = { ...submission.card, number };
    return {
      ...submission,
      reference: `GW-${count}-1`,
      money: { amount, currency: 'EUR' },
      sandbox: true,
      card,
      ...more,
    };
  }

  const complete = (given: StoredPayment): Promise<Outcome> =>
    providerA.complete!(given, { kind: 'return' }, trip.provider);
  /** Waits until exactly these reports came, in any order: two connections may overtake each other. */
  async function hears(...reported: readonly string[]): Promise<void> {
    await trip.until(() => trip.reported().length >= reported.length);
    expect(trip.reported().sort()).to.deep.equal([...reported].sort());
  }
  const heardAt = (route: string) =>
    trip.heard.filter((callback) => callback.route === route).flatMap(({ events }) => events);

  for (const number of ['4111111111111111', '5555555555554444', '4000000000003220', '6304000000000000']) {
    it(`approves card ${number} without 3D Secure and reports AUTH and CAPTURE in one batch`, async () => {
      const given = payment(number, '25.9', { is3ds: false });
      const outcome = await trip.submit(given);
      expect(outcome.outcome).to.equal('succeeded');
      await hears('AUTH:true authorised', 'CAPTURE:true succeeded');
      expect(trip.heard).to.have.length(1);
      expect(trip.heard[0]!.events[1]).to.include({
        reference: given.reference,
        providerReference: outcome.providerReference,
        amount: '25.90',
        currency: 'EUR',
        mode: 'test',
        dedupeKey: `${outcome.providerReference}:CAPTURE:true`,
      });
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['OK succeeded 25.90']);
    });
  }

  for (const [number, decline] of [
    ['4000000000000002', '05'],
    ['4000000000009995', '51'],
    ['4000000000000069', '54'],
    ['4000000000000127', '57'],
    ['4000000000000259', '61'],
  ] as const) {
    it(`declines card ${number} with ${decline}`, async () => {
      const given = payment(number);
      const outcome = await trip.submit(given);
      expect(outcome).to.include({ outcome: 'failed', decline });
      await hears('AUTH:false failed');
      const report = await trip.fetchStatus(trip.toStored(given, outcome));
      expect(report.result === 'events' && report.events[0]).to.include({ providerStatus: 'NO', decline });
    });
  }

  it('leaves a card pending and settles it by callback', async () => {
    const [good, bad, never] = [payment('4000000000003063'), payment('4000000000003089'), payment('4000000000003097')];
    const outcomes = [await trip.submit(good), await trip.submit(bad), await trip.submit(never)] as const;
    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['pending', 'pending', 'pending']);
    await trip.until(() => trip.reported().length >= 3);
    expect(trip.reported().sort()).to.deep.equal([
      'AUTH:false failed',
      'AUTH:true authorised',
      'CAPTURE:true succeeded',
    ]);
    expect(await trip.fetched(trip.toStored(good, outcomes[0]))).to.deep.equal(['OK succeeded 25.90']);
    expect(await trip.fetched(trip.toStored(bad, outcomes[1]))).to.deep.equal(['NO failed 25.90']);
    expect(await trip.fetched(trip.toStored(never, outcomes[2]))).to.deep.equal(['WAIT pending 25.90']);
  });

  it('authorises first if the capture waits', async () => {
    const given = payment(undefined, undefined, { captureDelayHours: 3 });
    const outcome = await trip.submit(given);
    expect(outcome).to.include({ outcome: 'pending', authorised: true });
    await hears('AUTH:true authorised', 'CAPTURE:true succeeded');
    expect(trip.heard).to.have.length(2);
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['OK succeeded 25.90']);
  });

  it('charges and closes the connection for the silent card', async () => {
    const given = payment('4000000000006975');
    const outcome = await trip.submit(given);
    expect(outcome.outcome).to.equal('unknown');
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['OK succeeded 25.90']);
    await hears('AUTH:true authorised', 'CAPTURE:true succeeded');
    expect((await trip.submit(given)).outcome).to.equal('succeeded');
  });

  it('refunds the whole amount later for card 0341', async () => {
    const given = payment('4000000000000341');
    const outcome = await trip.submit(given);
    await hears('AUTH:true authorised', 'CAPTURE:true succeeded', 'done succeeded', 'REFUND:true succeeded');
    const [notice] = heardAt('providerA-refund');
    const entry = heardAt('providerA').find(({ kind }) => kind === 'refund');
    expect(notice).to.include({ kind: 'refund', amount: '25.90', dedupeKey: entry!.dedupeKey });
    expect(entry).to.include({ providerReference: outcome.providerReference, subReference: notice!.subReference });
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([
      'OK succeeded 25.90',
      'returned succeeded 25.90',
    ]);
  });

  it('opens and loses a chargeback for card 0440', async () => {
    const given = payment('4000000000000440');
    const outcome = await trip.submit(given);
    await hears('AUTH:true authorised', 'CAPTURE:true succeeded', 'opened opened', 'lost lost');
    expect(new Set(heardAt('providerA-chargeback').map(({ subReference }) => subReference)).size).to.equal(1);
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([
      'OK succeeded 25.90',
      'disputed opened 25.90',
    ]);
  });

  describe('3D Secure', () => {
    async function press(outcome: Outcome, result: string): Promise<CallbackReply> {
      const url = outcome.outcome === 'pending' && outcome.action?.type === 'redirect' ? outcome.action.url : '';
      const page = await sendRequest({ method: 'GET', url }, 2000);
      expect(page.body.toString()).to.contain(`<button type="submit" name="result" value="${result}">`);
      return sendRequest({ method: 'POST', url, body: `result=${result}` }, 2000);
    }
    const locationOf = (reply: CallbackReply): string => Object.fromEntries(reply.headers)['Location'] ?? '';

    for (const [number, more, result, expected, reported] of [
      [
        '4000000000003220',
        {},
        'pass',
        { outcome: 'succeeded' },
        ['Y pending', 'AUTH:true authorised', 'CAPTURE:true succeeded'],
      ],
      [
        '4000000000003220',
        {},
        'fail',
        { outcome: 'failed', decline: '05', threeDsResult: 'N' },
        ['N pending', 'AUTH:false failed'],
      ],
      [
        '4111111111111111',
        { is3ds: true },
        'pass',
        { outcome: 'succeeded' },
        ['Y pending', 'AUTH:true authorised', 'CAPTURE:true succeeded'],
      ],
      [
        '4000000000009995',
        { is3ds: true },
        'pass',
        { outcome: 'failed', decline: '51' },
        ['Y pending', 'AUTH:false failed'],
      ],
      [
        '4000000000003063',
        { is3ds: true },
        'pass',
        { outcome: 'pending' },
        ['Y pending', 'AUTH:true authorised', 'CAPTURE:true succeeded'],
      ],
    ] as const) {
      it(`${result === 'pass' ? 'passes' : 'fails'} card ${number}${'is3ds' in more ? ' on demand' : ''}`, async () => {
        const given = payment(number, '25.9', more);
        const outcome = await trip.submit(given);
        const waiting = trip.toStored(given, outcome);
        expect(outcome)
          .to.include({ outcome: 'pending' })
          .and.have.nested.property('action.transactionId', outcome.providerReference);
        expect(await complete(waiting)).to.deep.equal({
          outcome: 'pending',
          providerReference: outcome.providerReference,
          action: waiting.action,
        });

        const back = await press(outcome, result);
        expect(back.status).to.equal(303);
        const answeredNow = await trip.fetchStatus(waiting);
        expect(answeredNow.result === 'events' && answeredNow.events[0]).to.include({
          providerStatus: 'STEP_UP',
          awaitsCompletion: true,
        });
        const landed = await sendRequest({ method: 'GET', url: locationOf(back) }, 2000);
        expect([landed.status, locationOf(landed)]).to.deep.equal([
          303,
          `${trip.provider.publicUrl}/pay/${given.reference.split('-')[1]}`,
        ]);

        expect(await complete(waiting)).to.include(expected);
        await hears(...reported);
        expect(await complete(waiting)).to.include(expected);
      });
    }

    it('keeps the first press, redirects again, and refuses an unknown challenge', async () => {
      const outcome = await trip.submit(payment('4000000000003220'));
      await press(outcome, 'fail');
      expect(locationOf(await press(outcome, 'pass'))).to.contain('auth=N');
      const unknown = await sendRequest({ method: 'GET', url: `${trip.sandboxUrl}/v1/challenge/A-NONE` }, 2000);
      expect(unknown.status).to.equal(404);
    });

    it('challenges neither a wallet nor a payment that skips 3D Secure', async () => {
      const wallet = { walletType: 'applePay' };
      expect((await trip.submit(payment('4000000000003220', '25.9', { wallet, is3ds: true }))).outcome).to.equal(
        'succeeded',
      );
      expect((await trip.submit(payment('4000000000003220', '25.9', { is3ds: false }))).outcome).to.equal('succeeded');
    });
  });

  describe('amounts that misbehave', () => {
    it('fails .50 without a charge', async () => {
      const given = payment(undefined, '25.50');
      const outcome = await trip.submit(given);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
      expect(
        await trip.fetched({ ...trip.toStored(given, outcome), endedAt: new Date(Date.now() - 10_000) }),
      ).to.deep.equal(['nothing_charged']);
    });

    it('asks to wait once for .51', async () => {
      expect((await trip.submit(payment(undefined, '25.51'))).outcome).to.equal('succeeded');
    });

    it('answers .52 with the page of a proxy, without a charge', async () => {
      const given = payment(undefined, '25.52');
      const outcome = await trip.submit(given);
      expect(outcome.outcome).to.equal('unknown');
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['no_information']);
    });

    it('cuts the answer for .53 and returns the whole answer to a repetition', async () => {
      const given = payment(undefined, '25.53');
      expect((await trip.submit(given)).outcome).to.equal('unknown');
      await hears('AUTH:true authorised', 'CAPTURE:true succeeded');
      expect((await trip.submit(given)).outcome).to.equal('succeeded');
      expect(trip.heard).to.have.length(1);
    });

    it('delivers three times for .54', async () => {
      await trip.submit(payment(undefined, '25.54'));
      await trip.until(() => trip.heard.length === 3);
      expect(new Set(trip.heard.map(({ events }) => JSON.stringify(events))).size).to.equal(1);
    });

    it('reports before it answers for .55, even if the answer is WAIT', async () => {
      for (const [number, outcome] of [
        ['4111111111111111', 'succeeded'],
        ['4000000000003063', 'pending'],
      ] as const) {
        const before = trip.heard.length;
        expect((await trip.submit(payment(number, '25.55'))).outcome).to.equal(outcome);
        expect(trip.heard).to.have.length(before + 1);
      }
    });

    it('captures before it authorises for .56', async () => {
      await trip.close();
      trip = await startRoundTrip({ adapter: providerA, createSandbox, options, delayMs: 80 }); // Far enough apart that no connection overtakes another.
      await trip.submit(payment(undefined, '25.56'));
      await trip.until(() => trip.heard.length === 2);
      expect(trip.reported()).to.deep.equal(['CAPTURE:true succeeded', 'AUTH:true authorised']);
    });

    it('sends a wrong signature first for .57', async () => {
      await trip.submit(payment(undefined, '25.57'));
      await hears('AUTH:true authorised', 'CAPTURE:true succeeded');
      expect(trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['invalid_signature', 'accepted']);
    });

    it('ignores these rules in a currency without decimals, and reads .500 of three decimals as .50', async () => {
      expect(
        (await trip.submit(payment(undefined, '2550', { money: { amount: '2550', currency: 'JPY' } }))).outcome,
      ).to.equal('succeeded');
      expect(await trip.submit(payment(undefined, '', { money: { amount: '25.5', currency: 'KWD' } }))).to.include({
        nothingCharged: true,
      });
    });
  });

  describe('refunds', () => {
    it('queues a partial refund, reports done twice, and counts it once', async () => {
      const given = payment();
      const outcome = await trip.submit(given);
      await trip.until(() => trip.heard.length === 1);
      const paid = trip.toStored(given, outcome);
      const ask = (number: number, amount: string): Promise<Outcome> =>
        providerA.refund!(
          paid,
          { reference: `${given.reference}-R${number}`, money: { amount, currency: 'EUR' }, ...firstRefund },
          trip.provider,
        );
      const first = await ask(1, '10');
      expect(first.outcome).to.equal('pending');
      expect(await ask(1, '10')).to.deep.equal(first);
      expect(await ask(2, '15.91')).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await ask(1, '11')).to.include({ outcome: 'unknown' });
      await hears('AUTH:true authorised', 'CAPTURE:true succeeded', 'done succeeded', 'REFUND:true succeeded');
      expect(heardAt('providerA-refund')[0]).to.include({ amount: '10.00', subReference: first.providerReference });
      expect(await trip.fetched(paid)).to.deep.equal(['OK succeeded 25.90', 'returned succeeded 10.00']);
    });

    it('refuses a refund of an uncaptured payment', async () => {
      const given = payment('4000000000003097');
      const pending = trip.toStored(given, await trip.submit(given));
      const refund = { reference: `${given.reference}-R1`, money: given.money, ...firstRefund, note: 'x' };
      expect(await providerA.refund!(pending, refund, trip.provider)).to.include({
        outcome: 'failed',
        nothingCharged: true,
      });
    });
  });

  it('delivers an unacknowledged callback five times in total', async () => {
    trip.answer('try_later');
    await trip.submit(payment());
    await trip.until(() => trip.deliveries.length === 5);
    expect(trip.deliveries.every(({ reply, acknowledged }) => reply?.status === 503 && !acknowledged)).to.equal(true);
    await trip.submit(payment());
    await trip.until(() => trip.deliveries.length === 10);
  });

  it('accepts one charge per reference and refuses a different repetition', async () => {
    const given = payment();
    const first = await trip.submit(given);
    expect(await trip.submit(given)).to.deep.equal(first);
    expect((await trip.submit({ ...given, money: { amount: '26', currency: 'EUR' } })).outcome).to.equal('unknown');
    await trip.until(() => trip.heard.length === 1);
  });

  it('checks key, account, form and fields', async () => {
    const { provider: ctx } = trip;
    const post = async (change: Readonly<Record<string, string>>, edit = (body: string): string => body) => {
      let sent = '';
      const http = {
        send: (request: Parameters<typeof ctx.http.send>[0]) => {
          const body = edit(String(request.body));
          return ctx.http.send({ ...request, headers: { ...request.headers, ...change }, body });
        },
      };
      const reply = await providerA.submit(payment(), {
        ...ctx,
        http: {
          async send(request) {
            const answer = await http.send(request);
            sent = `${answer.status} ${Buffer.from(answer.body).toString()}`;
            return answer;
          },
        },
      });
      expect(reply.outcome).to.equal('failed');
      return sent;
    };
    expect(await post({ 'X-A-Key': 'another key, long enough' }))
      .to.contain('401')
      .and.contain('NO_KEY');
    expect(await post({}, (body) => body.replace('GatewayEU', 'Other')))
      .to.contain('401')
      .and.contain('NO_KEY');
    expect(await post({}, () => '{'))
      .to.contain('400')
      .and.contain('UNREADABLE');
    expect(await post({}, (body) => body.replace('4111111111111111', '4111111111111112'))).to.contain(
      '"field":"card.pan"',
    );
    expect(await post({}, (body) => body.replace('"minor":2590', '"minor":25.9'))).to.contain('"field":"sum.minor"');
    expect(await post({}, (body) => body.replace('"cvc":"737"', '"cvc":737'))).to.contain('"field":"card.cvc"');
    const reader = { ...options, account: 'Other' };
    const unread = await providerA.fetchStatus!(trip.toStored(payment(), { outcome: 'unknown' }), {
      ...ctx,
      options: reader,
    });
    expect(unread).to.deep.equal({ result: 'no_information', reason: 'A answered 401' });
  });
});
