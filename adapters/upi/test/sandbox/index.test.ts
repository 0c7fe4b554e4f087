import type { Outcome, Submission } from '@paywright/contract';
import { sendRequest, type CallbackReply } from '@paywright/contract/sandbox';
import { firstRefund, describeAmountRules, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openBlob, readBlob, toBlob, toCheck } from '../../wire.ts';
import upi from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness } from '../messages.ts';

const { options, submission } = harness;

describe('the adapter with its sandbox', () => {
  let trip: RoundTrip<Options>;
  let count = 0;

  const start = (delayMs = 8): Promise<RoundTrip<Options>> =>
    startRoundTrip({ adapter: upi, createSandbox, options, delayMs });
  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());

  function payment(upiId = 'success@upi', amount = '25.9'): Submission<'upi'> {
    count += 1;
    const money = { amount, currency: 'INR' };
    return { ...submission, reference: `GW-${count}-1`, money, sandbox: true, upiId };
  }

  /** Waits until exactly these reports came, in any order: two connections may overtake each other. */
  async function hears(...reported: readonly string[]): Promise<void> {
    await trip.until(() => trip.reported().length >= reported.length);
    expect(trip.reported().sort()).to.deep.equal([...reported].sort());
  }
  const eventsHeard = () => trip.heard.flatMap(({ events }) => events);

  for (const [upiId, expected, reported, status] of [
    ['success@upi', { outcome: 'succeeded' }, ['COMPLETED succeeded'], 'COMPLETED succeeded'],
    ['SUCCESS@UPI', { outcome: 'succeeded' }, ['COMPLETED succeeded'], 'COMPLETED succeeded'],
    ['u30@upi', { outcome: 'failed', decline: 'U30' }, ['FAILED failed'], 'FAILED failed'],
    ['u16@upi', { outcome: 'failed', decline: 'U16' }, ['FAILED failed'], 'FAILED failed'],
    ['u66@upi', { outcome: 'failed', decline: 'U66' }, ['FAILED failed'], 'FAILED failed'],
    ['u69@upi', { outcome: 'pending' }, ['FAILED failed'], 'FAILED failed'],
    ['slow@upi', { outcome: 'pending' }, ['COMPLETED succeeded'], 'COMPLETED succeeded'],
    ['asha@okbank', { outcome: 'pending' }, ['COMPLETED succeeded'], 'COMPLETED succeeded'],
    ['slowfail@upi', { outcome: 'pending' }, ['FAILED failed'], 'FAILED failed'],
    ['stuck@upi', { outcome: 'pending' }, [], 'PENDING pending'],
    ['hold@upi', { outcome: 'pending' }, [], 'PENDING pending'],
    ['deemed@upi', { outcome: 'pending' }, ['DEEMED pending', 'COMPLETED succeeded'], 'COMPLETED succeeded'],
    ['deemedfail@upi', { outcome: 'pending' }, ['DEEMED pending', 'FAILED failed'], 'FAILED failed'],
    ['expire@upi', { outcome: 'pending' }, ['EXPIRED expired'], 'EXPIRED expired'],
    ['cancel@upi', { outcome: 'pending' }, ['CANCELLED cancelled'], 'CANCELLED cancelled'],
    ['late@upi', { outcome: 'pending' }, ['EXPIRED expired', 'COMPLETED late'], 'COMPLETED late'],
  ] as const) {
    it(`plays ${upiId}`, async () => {
      const given = payment(upiId);
      const outcome = await trip.submit(given);
      expect(outcome).to.include(expected);
      expect('action' in outcome).to.equal(expected.outcome === 'pending' && !upiId.startsWith('deemed'));
      await hears(...reported);
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([`${status} 25.90`]);
      for (const event of eventsHeard()) {
        expect(event).to.include({ reference: given.reference, providerReference: outcome.providerReference });
      }
    });
  }

  for (const [upiId, decline] of [
    ['u69@upi', 'U69'],
    ['slowfail@upi', '51'],
    ['deemedfail@upi', '05'],
  ] as const) {
    it(`declines ${upiId} with ${decline}, in callback and status`, async () => {
      const given = payment(upiId);
      const outcome = await trip.submit(given);
      await trip.until(() => trip.reported().includes('FAILED failed'));
      expect(eventsHeard().at(-1)).to.include({ decline });
      const report = await trip.fetchStatus(trip.toStored(given, outcome));
      expect(report.result === 'events' && report.events[0]).to.include({ decline });
    });
  }

  it('returns a link for an intent and a text for QR, and reports each once it is paid', async () => {
    const [intent, qr] = [await trip.submit(payment('intent@gw')), await trip.submit(payment('qr@gw', '7'))];
    expect(intent)
      .to.have.nested.property('action.link')
      .that.matches(/^upi:\/\/pay\?pa=.*&tn=GW-\d+-1&am=25\.90&cu=INR/);
    expect(qr)
      .to.have.nested.property('action.text')
      .that.matches(/^upi:\/\/pay\?ver=01&mode=01&.*&am=7\.00&cu=INR$/);
    await hears('COMPLETED succeeded', 'COMPLETED succeeded');
  });

  it('gives a paid payment the banks’ number, the same in callback and status', async () => {
    const given = payment();
    const outcome = await trip.submit(given);
    await hears('COMPLETED succeeded');
    const report = await trip.fetchStatus(trip.toStored(given, outcome));
    const [event] = eventsHeard();
    expect(event!.dedupeKey).to.match(/^U00\d{12}\|COMPLETED\|000\d{9}$/);
    expect(report.result === 'events' && report.events[0]!.dedupeKey).to.equal(event!.dedupeKey);
  });

  it('charges lost@upi and closes the connection', async () => {
    const given = payment('lost@upi');
    const outcome = await trip.submit(given);
    expect(outcome.outcome).to.equal('unknown');
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['COMPLETED succeeded 25.90']);
    await hears('COMPLETED succeeded');
    expect((await trip.submit(given)).outcome).to.equal('succeeded');
  });

  it('refunds the whole amount later for refund@upi', async () => {
    await trip.submit(payment('refund@upi'));
    await hears('COMPLETED succeeded', 'REFUND_DONE succeeded');
    expect(eventsHeard().find(({ kind }) => kind === 'refund')).to.include({ amount: '25.90' });
  });

  it('opens a dispute and loses it for dispute@upi', async () => {
    await trip.submit(payment('dispute@upi'));
    await hears('COMPLETED succeeded', 'DISPUTED opened', 'DISPUTE_LOST lost');
    const [opened, lost] = eventsHeard().filter(({ kind }) => kind === 'chargeback');
    expect(opened!.subReference).to.equal(lost!.subReference);
  });

  it('refuses unknown@upi without a charge', async () => {
    const given = payment('unknown@upi');
    const outcome = await trip.submit(given);
    expect(outcome).to.deep.equal({ outcome: 'failed', decline: '05' });
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['nothing_charged']);
  });

  describe('the payer’s page', () => {
    const urlOf = ({ providerReference }: Outcome): string => `${trip.sandboxUrl}/upi/sim/${providerReference}`;
    const press = (outcome: Outcome, result: string): Promise<CallbackReply> =>
      sendRequest({ method: 'POST', url: urlOf(outcome), body: `result=${result}` }, 2000);
    const locationOf = (reply: CallbackReply): string => Object.fromEntries(reply.headers)['Location'] ?? '';

    for (const [result, reported] of [
      ['pass', 'COMPLETED succeeded'],
      ['fail', 'FAILED failed'],
    ] as const) {
      it(`decides hold@upi by ${result}, once`, async () => {
        const given = payment('hold@upi');
        const outcome = await trip.submit(given);
        const page = await sendRequest({ method: 'GET', url: urlOf(outcome) }, 2000);
        expect(page.body.toString()).to.contain(`<button type="submit" name="result" value="${result}">`);
        const back = await press(outcome, result);
        expect([back.status, locationOf(back)]).to.deep.equal([303, `${trip.provider.publicUrl}/pay/10042`]);
        await press(outcome, result === 'pass' ? 'fail' : 'pass');
        await hears(reported);
        expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([`${reported} 25.90`]);
        expect(eventsHeard()[0]!.decline).to.equal(result === 'fail' ? 'U69' : undefined);
      });
    }

    it('leads back from any other payment, and refuses another number', async () => {
      const given = payment('stuck@upi');
      const outcome = await trip.submit(given);
      expect((await press(outcome, 'pass')).status).to.equal(303);
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['PENDING pending 25.90']);
      expect((await press({ outcome: 'unknown', providerReference: 'U009' }, 'pass')).status).to.equal(404);
    });
  });

  describeAmountRules({
    start,
    payment: (amount) => payment(undefined, amount),
    pending: (amount) => payment('slow@upi', amount),
    paid: 'COMPLETED succeeded',
    waits: 'PENDING pending',
  });

  it('reports the end of deemed@upi before its wait for .56, which undoes nothing', async () => {
    await trip.close();
    trip = await start(80); // Far enough apart that no connection overtakes another.
    const given = payment('deemed@upi', '25.56');
    const outcome = await trip.submit(given);
    await trip.until(() => trip.heard.length === 2);
    expect(trip.reported()).to.deep.equal(['COMPLETED succeeded', 'DEEMED pending']);
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['COMPLETED succeeded 25.56']);
  });

  it('keeps amounts that exceed a double', async () => {
    const given = payment(undefined, '90071992547409930.01');
    const outcome = await trip.submit(given);
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([
      'COMPLETED succeeded 90071992547409930.01',
    ]);
  });

  describe('refunds', () => {
    async function paid(upiId?: string) {
      const given = payment(upiId);
      const stored = trip.toStored(given, await trip.submit(given));
      return (number: number, amount: string): Promise<Outcome> =>
        upi.refund!(
          stored,
          { reference: `${given.reference}-R${number}`, money: { amount, currency: 'INR' }, ...firstRefund },
          trip.provider,
        );
    }

    it('accepts a partial refund, reports it, and answers the same key with the current refund', async () => {
      const ask = await paid();
      await hears('COMPLETED succeeded');
      const first = await ask(1, '10');
      expect(first).to.include({ outcome: 'pending' });
      expect(await ask(1, '11')).to.include({ outcome: 'unknown' });
      expect(await ask(2, '15.91')).to.include({ outcome: 'failed', nothingCharged: true });
      await hears('COMPLETED succeeded', 'REFUND_DONE succeeded');
      expect(eventsHeard()[1]).to.include({ amount: '10.00', subReference: first.providerReference });
      expect(await ask(1, '10')).to.deep.equal({ ...first, outcome: 'succeeded' });
      expect(await ask(3, '15.9')).to.include({ outcome: 'pending' });
    });

    it('fails .58 and reverses .59, and allows another refund afterwards', async () => {
      const ask = await paid();
      await hears('COMPLETED succeeded');
      await ask(1, '10.58');
      await hears('COMPLETED succeeded', 'REFUND_FAILED failed');
      expect(await ask(1, '10.58')).to.include({ outcome: 'failed', nothingCharged: true });
      await ask(2, '20.59');
      await hears('COMPLETED succeeded', 'REFUND_FAILED failed', 'REFUND_DONE succeeded', 'REFUND_REVERSED reversed');
      expect(await ask(3, '25.9')).to.include({ outcome: 'pending' });
    });

    for (const upiId of ['stuck@upi', 'u16@upi']) {
      it(`refuses a refund of ${upiId}, which has not paid`, async () => {
        const ask = await paid(upiId);
        expect(await ask(1, '1')).to.include({ outcome: 'failed', nothingCharged: true });
      });
    }
  });

  it('delivers an unacknowledged callback four times in total', async () => {
    trip.answer('try_later');
    await trip.submit(payment());
    await trip.until(() => trip.deliveries.length === 4);
    const requests = trip.deliveries.map(({ request }) => request);
    expect(new Set(requests.map((request) => String(request?.body))).size).to.equal(1);
    expect(new Set(requests.map((request) => request?.headers?.['X-U-Event'])).size).to.equal(4);
    expect(trip.deliveries.every(({ reply, acknowledged }) => reply?.status === 503 && !acknowledged)).to.equal(true);
    // A fifth delivery would come before the second payment has had its four.
    await trip.submit(payment('u16@upi'));
    const failed = () => trip.deliveries.filter(({ name }) => name === 'FAILED');
    await trip.until(() => failed().length === 4);
    expect(trip.deliveries).to.have.length(8);
  });

  it('accepts only 200 with SUCCESS', async () => {
    await trip.close();
    const callbacks = upi.callbacks.map((route) => ({
      ...route,
      acknowledge: () => ({ status: 200, body: '{"status":"RETRY"}' }),
    }));
    trip = await startRoundTrip({ adapter: { ...upi, callbacks }, createSandbox, options });
    await trip.submit(payment());
    await trip.until(() => trip.deliveries.length === 4);
    expect(trip.deliveries.some(({ acknowledged }) => acknowledged)).to.equal(false);
  });

  it('accepts one payment per reference and refuses a different repetition', async () => {
    const given = payment();
    const first = await trip.submit(given);
    expect(await trip.submit({ ...given, payer: { ...given.payer, name: 'Another' } })).to.deep.equal(first);
    expect((await trip.submit({ ...given, upiId: 'slow@upi' })).outcome).to.equal('unknown');
    expect((await trip.submit({ ...given, upiId: 'qr@gw' })).outcome).to.equal('unknown');
    expect((await trip.submit({ ...given, money: { amount: '26', currency: 'INR' } })).outcome).to.equal('unknown');
    await hears('COMPLETED succeeded');
  });

  it('checks envelope, check, merchant and message', async () => {
    const { provider: ctx } = trip;
    /** The answer to a submission whose message and headers were changed and signed again. */
    async function said(
      edit: (message: Record<string, unknown>) => Record<string, unknown>,
      headers: Readonly<Record<string, string>> = {},
      body?: string,
    ): Promise<string> {
      let answer = '';
      const http: typeof ctx.http = {
        async send(request) {
          const blob = readBlob(Buffer.from(request.body ?? '')) ?? '';
          const changed = toBlob(edit(openBlob(blob) as Record<string, unknown>));
          const check = toCheck(`${changed}/upi/v1/pay`, '1', options.salts['1']!);
          const reply = await ctx.http.send({
            ...request,
            headers: { ...request.headers, 'X-U-Check': check, ...headers },
            body: body ?? JSON.stringify({ blob: changed }),
          });
          answer = `${reply.status} ${Buffer.from(reply.body).toString()}`;
          return reply;
        },
      };
      await upi.submit(payment(), { ...ctx, http });
      return answer;
    }
    const same = (message: Record<string, unknown>) => message;
    const [format, check] = ['400 {"ok":false,"code":"FORMAT"}', '401 {"ok":false,"code":"CHECK"}'];
    expect(await said(same)).to.contain('200 {"ok":true,"code":"TAKEN"');
    expect(await said(same, { 'X-U-Check': `${'0'.repeat(64)}###1` })).to.equal(check);
    expect(await said(same, { 'X-U-Mid': 'MID2' })).to.equal(check);
    expect(await said(same, {}, '{"response":"x"}')).to.equal(format);
    for (const wrong of [
      { mid: 'MID2' },
      { paise: 25.9 },
      { paise: '2590' },
      { mode: 'ODD' },
      { vpa: undefined },
      { mode: 'QR' },
      { ttl: 59 },
      { hook: 'x' },
      { gw_ref: '' },
    ]) {
      expect(await said((message) => ({ ...message, ...wrong })), JSON.stringify(wrong)).to.equal(format);
    }
    const stranger = { ...ctx, options: { ...options, salts: { '7': 'other' } } };
    const stored = trip.toStored(payment(), { outcome: 'unknown' });
    expect(await upi.fetchStatus!(stored, stranger)).to.deep.equal({
      result: 'no_information',
      reason: 'the switch answered 401 CHECK',
    });
  });

  describe('callbacks on demand', () => {
    const trigger = {
      reference: 'GW-77-1',
      providerReference: 'U0077',
      money: { amount: '12.34', currency: 'INR' },
      times: 1,
      forge: false,
    };

    it('sends each of its events, with statuses that the adapter knows', async () => {
      const { publicUrl } = trip.provider;
      const setup = { options, providerSide: {}, baseUrl: trip.sandboxUrl, publicUrl, delayMs: 1 };
      const { events = [] } = createSandbox(setup);
      for (const event of events) {
        const [reply] = await trip.trigger({ ...trigger, event });
        expect([event, reply?.status]).to.deep.equal([event, 200]);
      }
      const reported = eventsHeard();
      expect(
        reported.map(({ providerStatus, status }) => (status === 'late' ? `${providerStatus} late` : providerStatus)),
      ).to.deep.equal(events);
      expect(reported.every(({ status }) => status !== 'unknown')).to.equal(true);
      for (const event of reported) {
        expect(event).to.include({
          reference: 'GW-77-1',
          providerReference: 'U0077',
          amount: '12.34',
          currency: 'INR',
        });
      }
    });

    it('repeats an event under one identity, forges it, and invents a transaction', async () => {
      expect(await trip.trigger({ ...trigger, event: 'COMPLETED', times: 3 })).to.have.length(3);
      expect(new Set(eventsHeard().map(({ dedupeKey }) => dedupeKey)).size).to.equal(1);
      const [forged] = await trip.trigger({ ...trigger, event: 'FAILED', forge: true });
      expect(forged?.status).to.equal(401);
      await trip.trigger({ ...trigger, event: 'FAILED', providerReference: null });
      expect(eventsHeard().at(-1))
        .to.include({ decline: 'U69' })
        .and.have.property('providerReference')
        .that.matches(/^U00\d+$/);
    });

    it('refuses an unlisted event', async () => {
      const refused = await trip.trigger({ ...trigger, event: 'ODD' }).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(RangeError).and.have.property('message').that.contains('REFUND_DONE');
    });
  });
});
