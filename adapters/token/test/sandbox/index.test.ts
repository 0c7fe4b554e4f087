import type { Acknowledgement, Outcome, Submission } from '@paywright/contract';
import { sendRequest, type CallbackReply } from '@paywright/contract/sandbox';
import { firstRefund, describeAmountRules, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import token from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness } from '../messages.ts';

const { options, submission } = harness;

describe('the adapter with its sandbox', () => {
  let trip: RoundTrip<Options>;
  let count = 0;

  const start = (delayMs = 8): Promise<RoundTrip<Options>> =>
    startRoundTrip({ adapter: token, createSandbox, options, delayMs });
  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());

  function payment(
    tokenText = 'tok_approved',
    amount = '25.9',
    more: Partial<Submission<'token'>> = {},
  ): Submission<'token'> {
    count += 1;
    const money = { amount, currency: 'EUR' };
    return { ...submission, reference: `GW-${count}-1`, money, sandbox: true, token: tokenText, ...more };
  }

  /** Waits until exactly these reports came, in any order: two connections may overtake each other. */
  async function hears(...reported: readonly string[]): Promise<void> {
    await trip.until(() => trip.reported().length >= reported.length);
    expect(trip.reported().sort()).to.deep.equal([...reported].sort());
  }
  const eventsHeard = () => trip.heard.flatMap(({ events }) => events);
  const complete = (given: Submission<'token'>, outcome: Outcome): Promise<Outcome> =>
    token.complete!(trip.toStored(given, outcome), { kind: 'return' }, trip.provider);
  const urlOf = (outcome: Outcome): string =>
    outcome.outcome === 'pending' && outcome.action?.type === 'redirect' ? outcome.action.url : '';
  const press = (outcome: Outcome, result: string): Promise<CallbackReply> =>
    sendRequest({ method: 'POST', url: urlOf(outcome), body: `result=${result}` }, 2000);
  const locationOf = (reply: CallbackReply): string => Object.fromEntries(reply.headers)['Location'] ?? '';

  for (const text of ['tok_approved', 'tok_anything']) {
    it(`approves ${text}`, async () => {
      const given = payment(text);
      const outcome = await trip.submit(given);
      expect(outcome).to.include({ outcome: 'succeeded' });
      await hears('charge.succeeded succeeded');
      const { providerReference } = outcome;
      expect(eventsHeard()[0]).to.include({ reference: given.reference, providerReference, amount: '25.90' });
      await trip.until(() => trip.deliveries.length > 0);
      expect(trip.deliveries[0]).to.include({ acknowledged: true, number: 1 });
      const { providerReference: _, ...nameless } = trip.toStored(given, outcome);
      for (const stored of [trip.toStored(given, outcome), nameless]) {
        expect(await trip.fetched(stored)).to.deep.equal(['charge.succeeded succeeded 25.90']);
      }
    });
  }

  for (const decline of ['05', '51', '54', '57', '61']) {
    it(`declines tok_decline_${decline} with ${decline}, in answer, callback and status`, async () => {
      const given = payment(`tok_decline_${decline}`);
      const outcome = await trip.submit(given);
      expect(outcome).to.include({ outcome: 'failed', decline });
      await hears('charge.failed failed');
      expect(eventsHeard()[0]).to.include({ decline });
      const report = await trip.fetchStatus(trip.toStored(given, outcome));
      expect(report.result === 'events' && report.events[0]).to.include({ decline });
      expect(await trip.submit(given)).to.deep.equal(outcome);
    });
  }

  for (const [text, state, reported] of [
    ['tok_pending_ok', 'succeeded', ['charge.succeeded succeeded']],
    ['tok_pending_05', 'failed', ['charge.failed failed']],
    ['tok_pending', 'pending', []],
  ] as const) {
    it(`leaves ${text} pending, then ${state}`, async () => {
      const given = payment(text, '25.9', { is3ds: true });
      const outcome = await trip.submit(given);
      expect(outcome).to.have.all.keys('outcome', 'providerReference').and.include({ outcome: 'pending' });
      await hears(...reported);
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([`charge.${state} ${state} 25.90`]);
    });
  }

  it('charges tok_lost and closes the connection, even if 3D Secure is demanded', async () => {
    const given = payment('tok_lost', '25.9', { is3ds: true });
    const outcome = await trip.submit(given);
    expect(outcome.outcome).to.equal('unknown');
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['charge.succeeded succeeded 25.90']);
    await hears('charge.succeeded succeeded');
    expect((await trip.submit(given)).outcome).to.equal('succeeded');
  });

  it('refunds the whole amount later for tok_refund', async () => {
    const outcome = await trip.submit(payment('tok_refund'));
    await hears('charge.succeeded succeeded', 'refund.succeeded succeeded');
    const refund = eventsHeard().find(({ kind }) => kind === 'refund');
    expect(refund).to.include({ amount: '25.90', providerReference: outcome.providerReference });
  });

  it('opens a dispute and loses it for tok_dispute', async () => {
    await trip.submit(payment('tok_dispute'));
    await hears('charge.succeeded succeeded', 'dispute.opened opened', 'dispute.lost lost');
    const [opened, lost] = eventsHeard().filter(({ kind }) => kind === 'chargeback');
    expect(opened!.subReference).to.equal(lost!.subReference);
    expect(opened!.orderHint).to.be.lessThan(lost!.orderHint!);
  });

  it('reports the token’s life for tok_updated and tok_active', async () => {
    const bodies = (): string[] => trip.deliveries.map(({ request }) => String(request?.body));
    const updated = payment('tok_updated');
    const before = await trip.submit(updated);
    await hears('charge.succeeded succeeded', 'token.updated updated');
    expect(bodies().find((body) => body.includes('token.updated'))).to.match(/"last4":"4242","expires":"2031-01"/);
    expect((await trip.submit(updated)).providerReference).to.equal(before.providerReference);
    await trip.submit(payment('tok_active'));
    await trip.until(() => trip.reported().includes('token.active active'));
    const handles = eventsHeard().flatMap(({ kind, providerReference }) =>
      kind === 'token' ? [providerReference] : [],
    );
    expect(handles.map((handle) => handle?.slice(0, 3))).to.deep.equal(['th_', 'th_']);
    expect(handles[0]).to.not.equal(handles[1]);
  });

  for (const [text, decline, reported] of [
    ['tok_suspended', '57', ['token.suspended suspended']],
    ['tok_deleted', '54', ['token.deleted deleted']],
    ['card_1', '05', []],
  ] as const) {
    it(`refuses ${text} with ${decline} and charges nothing`, async () => {
      const given = payment(text);
      const outcome = await trip.submit(given);
      expect(outcome).to.deep.equal({ outcome: 'failed', decline });
      await hears(...reported);
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['nothing_charged']);
    });
  }

  describe('3D Secure', () => {
    for (const [text, more, result, expected, reported] of [
      ['tok_challenge', {}, 'pass', { outcome: 'succeeded' }, ['charge.succeeded succeeded']],
      ['tok_challenge', {}, 'fail', { outcome: 'failed', decline: '05', threeDsResult: 'N' }, ['charge.failed failed']],
      ['tok_x', { is3ds: true }, 'pass', { outcome: 'succeeded' }, ['charge.succeeded succeeded']],
      [
        'tok_refund',
        { is3ds: true },
        'pass',
        { outcome: 'succeeded' },
        ['charge.succeeded succeeded', 'refund.succeeded succeeded'],
      ],
      ['tok_refund', { is3ds: true }, 'fail', { outcome: 'failed' }, ['charge.failed failed']],
    ] as const) {
      it(`${result === 'pass' ? 'passes' : 'fails'} ${text}${'is3ds' in more ? ' on demand' : ''}`, async () => {
        const given = payment(text, '25.9', more);
        const outcome = await trip.submit(given);
        expect(outcome).to.have.nested.property('action.transactionId', outcome.providerReference);
        expect(await complete(given, outcome)).to.deep.equal(outcome);
        expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['charge.challenge pending 25.90']);

        const page = await sendRequest({ method: 'GET', url: urlOf(outcome) }, 2000);
        expect(page.body.toString()).to.contain(`<button type="submit" name="result" value="${result}">`);
        const back = await press(outcome, result);
        const { publicUrl } = trip.provider;
        expect([back.status, locationOf(back)]).to.deep.equal([
          303,
          `${publicUrl}/pay/10042?charge=${outcome.providerReference}&ref=${given.reference}`,
        ]);
        expect(await complete(given, outcome)).to.include(expected);
        await hears(...reported);
        expect(await complete(given, outcome)).to.include(expected);
      });
    }

    it('ends without another call if the payment is not resumed', async () => {
      const given = payment('tok_challenge');
      const outcome = await trip.submit(given);
      await press(outcome, 'fail');
      await hears('charge.failed failed');
      expect(eventsHeard()[0]).to.include({ decline: '05', threeDsResult: 'N' });
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['charge.failed failed 25.90']);
    });

    it('keeps the first press, adds to a query, and refuses an unknown challenge', async () => {
      const { provider: ctx } = trip;
      const back = `${ctx.publicUrl}/pay/1?t=a%20b`;
      const outcome = await token.submit(payment('tok_challenge'), { ...ctx, returnUrl: () => back });
      await press(outcome, 'fail');
      expect(locationOf(await press(outcome, 'pass'))).to.match(/\?t=a%20b&charge=ch_\w+&ref=GW-\d+-1$/);
      await hears('charge.failed failed');
      const none = await sendRequest({ method: 'GET', url: `${trip.sandboxUrl}/challenge/ch_none` }, 2000);
      expect(none.status).to.equal(404);
    });

    it('challenges neither a payment that skips 3D Secure nor a declined one', async () => {
      expect((await trip.submit(payment('tok_challenge', '25.9', { is3ds: false }))).outcome).to.equal('succeeded');
      expect((await trip.submit(payment('tok_decline_51', '25.9', { is3ds: true }))).outcome).to.equal('failed');
    });
  });

  describeAmountRules({
    start,
    payment: (amount) => payment(undefined, amount),
    pending: (amount) => payment('tok_pending_ok', amount),
    paid: 'charge.succeeded succeeded',
    waits: 'charge.pending pending',
  });

  it('ignores these rules without decimals, and keeps amounts that exceed a double', async () => {
    const yen = { money: { amount: '2550', currency: 'JPY' } };
    expect((await trip.submit(payment(undefined, '', yen))).outcome).to.equal('succeeded');
    const given = payment(undefined, '90071992547409930.01');
    const outcome = await trip.submit(given);
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([
      'charge.succeeded succeeded 90071992547409930.01',
    ]);
  });

  describe('refunds', () => {
    async function paid() {
      const given = payment();
      const outcome = await trip.submit(given);
      await hears('charge.succeeded succeeded');
      const stored = trip.toStored(given, outcome);
      return (number: number, amount: string): Promise<Outcome> =>
        token.refund!(
          stored,
          { reference: `${given.reference}-R${number}`, money: { amount, currency: 'EUR' }, ...firstRefund },
          trip.provider,
        );
    }

    it('accepts a partial refund, reports it, and answers the same key with the current refund', async () => {
      const ask = await paid();
      const first = await ask(1, '10');
      expect(first).to.include({ outcome: 'pending' });
      expect(await ask(1, '11')).to.include({ outcome: 'unknown' });
      expect(await ask(2, '15.91')).to.include({ outcome: 'failed', nothingCharged: true });
      await hears('charge.succeeded succeeded', 'refund.succeeded succeeded');
      expect(eventsHeard()[1]).to.include({ amount: '10.00', subReference: first.providerReference });
      expect(await ask(1, '10')).to.deep.equal({ ...first, outcome: 'succeeded' });
      expect(await ask(3, '15.9')).to.include({ outcome: 'pending' });
    });

    it('fails .58 and reverses .59, and allows another refund afterwards', async () => {
      const ask = await paid();
      await ask(1, '10.58');
      await hears('charge.succeeded succeeded', 'refund.failed failed');
      expect(await ask(1, '10.58')).to.include({ outcome: 'failed', nothingCharged: true });
      await ask(2, '20.59');
      await hears(
        'charge.succeeded succeeded',
        'refund.failed failed',
        'refund.succeeded succeeded',
        'refund.reversed reversed',
      );
      expect(await ask(3, '25.9')).to.include({ outcome: 'pending' });
    });

    it('refuses an unpaid charge', async () => {
      const given = payment('tok_pending');
      const stored = trip.toStored(given, await trip.submit(given));
      const refund = { reference: `${given.reference}-R1`, money: given.money, ...firstRefund };
      expect(await token.refund!(stored, refund, trip.provider)).to.include({
        outcome: 'failed',
        nothingCharged: true,
      });
    });
  });

  it('delivers an unacknowledged callback four times in total', async () => {
    trip.answer('try_later');
    await trip.submit(payment());
    await trip.until(() => trip.deliveries.length === 4);
    expect(new Set(trip.deliveries.map(({ request }) => String(request?.body))).size).to.equal(1);
    expect(trip.deliveries.every(({ reply, acknowledged }) => reply?.status === 503 && !acknowledged)).to.equal(true);
    // A fifth delivery would come before the second charge has had its four.
    await trip.submit(payment('tok_decline_05'));
    const failed = () => trip.deliveries.filter(({ name }) => name === 'charge.failed');
    await trip.until(() => failed().length === 4);
    expect(trip.deliveries).to.have.length(8);
  });

  it('accepts only a correctly signed acknowledgement', async () => {
    await trip.close();
    const callbacks = token.callbacks.map((route) => ({
      ...route,
      acknowledge: (): Acknowledgement => ({ status: 200, body: '{"verdict":"accept"}' }),
    }));
    trip = await startRoundTrip({ adapter: { ...token, callbacks }, createSandbox, options });
    await trip.submit(payment());
    await trip.until(() => trip.deliveries.length === 4);
    expect(trip.deliveries.some(({ acknowledged }) => acknowledged)).to.equal(false);
  });

  it('accepts one charge per key and refuses a different repetition', async () => {
    const given = payment();
    const first = await trip.submit(given);
    expect(await trip.submit({ ...given, payer: { ...given.payer, name: 'Another' } })).to.deep.equal(first);
    expect((await trip.submit({ ...given, token: 'tok_other' })).outcome).to.equal('unknown');
    expect((await trip.submit({ ...given, money: { amount: '26', currency: 'EUR' } })).outcome).to.equal('unknown');
    await hears('charge.succeeded succeeded');
  });

  it('checks key, account, form and fields', async () => {
    const { provider: ctx } = trip;
    async function said(change: Readonly<Record<string, string>>, edit = (body: string): string => body) {
      let answer = '';
      const http: typeof ctx.http = {
        async send(request) {
          const headers = { ...request.headers, ...change };
          const reply = await ctx.http.send({ ...request, headers, body: edit(String(request.body)) });
          answer = `${reply.status} ${Buffer.from(reply.body).toString()}`;
          return reply;
        },
      };
      await token.submit(payment(), { ...ctx, http });
      return answer;
    }
    expect(await said({ Authorization: 'Bearer other' })).to.equal('401 {"error":{"code":"unauthorised"}}');
    expect(await said({}, (body) => body.replace('"V-1"', '"V-2"'))).to.equal('403 {"error":{"code":"forbidden"}}');
    expect(await said({}, () => '{')).to.equal('400 {"error":{"code":"invalid","field":"body"}}');
    expect(await said({}, (body) => body.replace('2590', '25.9'))).to.contain('"field":"minor"');
    expect(await said({}, (body) => body.replace('"mid"', '"m"'))).to.contain('"field":"mid"');
    expect(await said({}, (body) => body.replace('"auto"', '"maybe"'))).to.contain('"field":"auth3"');
    expect(await said({}, (body) => body.replace('"ip":null', '"ip":7'))).to.contain('"field":"payer.ip"');
    expect(await said({ 'Idempotency-Key': '' })).to.contain('"field":"Idempotency-Key"');
  });

  describe('callbacks on demand', () => {
    const trigger = {
      reference: 'GW-77-1',
      providerReference: 'ch_77',
      money: { amount: '12.34', currency: 'EUR' },
      times: 1,
      forge: false,
    };

    it('sends each of its events, with statuses that the adapter knows', async () => {
      const { events = [] } = createSandbox({
        options,
        providerSide: {},
        baseUrl: trip.sandboxUrl,
        publicUrl: trip.provider.publicUrl,
        delayMs: 1,
      });
      for (const event of events) {
        const [reply] = await trip.trigger({ ...trigger, event });
        expect([event, reply?.status]).to.deep.equal([event, 200]);
      }
      expect(trip.heard).to.have.length(events.length);
      const reported = eventsHeard();
      expect(reported.map(({ providerStatus }) => providerStatus)).to.deep.equal(
        events.filter((event) => event !== 'vault.ping'),
      );
      expect(reported.every(({ status }) => status !== 'unknown')).to.equal(true);
      for (const event of reported.filter(({ kind }) => kind !== 'token')) {
        expect(event).to.include({
          reference: 'GW-77-1',
          providerReference: 'ch_77',
          amount: '12.34',
          currency: 'EUR',
        });
      }
    });

    it('repeats an event under one identity, forges it, and invents a charge', async () => {
      expect(await trip.trigger({ ...trigger, event: 'charge.succeeded', times: 3 })).to.have.length(3);
      expect(new Set(eventsHeard().map(({ dedupeKey }) => dedupeKey)).size).to.equal(1);
      const [forged] = await trip.trigger({ ...trigger, event: 'charge.failed', forge: true });
      expect(forged?.status).to.equal(401);
      await trip.trigger({ ...trigger, event: 'charge.failed', providerReference: null });
      expect(eventsHeard().at(-1))
        .to.include({ decline: '05' })
        .and.have.property('providerReference')
        .that.matches(/^ch_/);
    });

    it('refuses an unlisted event', async () => {
      const refused = await trip.trigger({ ...trigger, event: 'charge.odd' }).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(RangeError).and.have.property('message').that.contains('charge.succeeded');
    });
  });
});
