import {
  JsonNumber,
  readJsonObject,
  stringifyExact,
  type HttpReply,
  type Outcome,
  type Submission,
} from '@paywright/contract';
import { sendRequest, type CallbackReply } from '@paywright/contract/sandbox';
import { firstRefund, describeScenarioRules, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { get, post } from '../../wire.ts';
import { canonicalText, digestOf } from '../../signing.ts';
import providerH from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { payMessage } from '../../submit.ts';
import { harness } from '../messages.ts';

const { options, submission } = harness;

const paidScenario = ['seen pending', 'confirming pending', 'done succeeded'];

describe('the adapter with its sandbox', () => {
  let trip: RoundTrip<Options>;
  let count = 0;

  const start = (delayMs = 8): Promise<RoundTrip<Options>> =>
    startRoundTrip({ adapter: providerH, createSandbox, options, delayMs });
  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());
  /** Restarts with delays that are long enough that no message overtakes another. */
  async function slowly(): Promise<void> {
    await trip.close();
    trip = await start(80);
  }

  function payment(
    amount = '25.9',
    currency = 'EUR',
    payer: Partial<Submission<'billing'>['payer']> = {},
  ): Submission<'billing'> {
    count += 1;
    const money = { amount, currency };
    return {
      ...submission,
      reference: `GW-${count}-1`,
      money,
      sandbox: true,
      payer: { ...submission.payer, ...payer },
    };
  }

  /** Waits until exactly these events were reported, in any order: two connections may overtake each other. */
  async function hears(...reported: readonly string[]): Promise<void> {
    await trip.until(() => trip.reported().length >= reported.length);
    expect(trip.reported().sort()).to.deep.equal([...reported].sort());
  }
  const eventsHeard = () => trip.heard.flatMap(({ events }) => events);
  const fetched = (given: Submission<'billing'>, outcome: Outcome): Promise<string[]> =>
    trip.fetched(trip.toStored(given, outcome));
  const bodyOf = ({ body }: { readonly body?: Uint8Array | string }) => readJsonObject(Buffer.from(body as string))!;

  it('asks for coins, then reports each step until they arrived', async () => {
    await slowly();
    const given = payment();
    const outcome = await trip.submit(given);
    const { providerReference = '' } = outcome;
    expect(BigInt(providerReference) > 2n ** 53n).to.equal(true);
    const action = outcome.outcome === 'pending' ? outcome.action : undefined;
    expect(action).to.include({ type: 'crypto', coin: 'BTC', amount: '0.00041440', network: 'bitcoin' });
    const left = action?.type === 'crypto' ? Date.parse(action.expiry) - Date.now() : 0;
    expect(left).to.be.within(890_000, 900_000);
    expect(await fetched(given, outcome)).to.deep.equal(['awaiting pending 25.90']);
    await trip.until(() => trip.heard.length === 3);
    expect(trip.reported()).to.deep.equal(paidScenario);
    const [first, , last] = eventsHeard();
    expect(last).to.include({
      reference: given.reference,
      providerReference,
      amount: '25.90',
      currency: 'EUR',
      dedupeKey: `${providerReference}|done|0.00041440|3`,
    });
    expect(last!.orderHint).to.be.greaterThan(first!.orderHint!);
    expect(await fetched(given, outcome)).to.deep.equal(['done succeeded 25.90']);
    expect(await fetched(given, { outcome: 'unknown' })).to.deep.equal(['done succeeded 25.90']);
    expect(await trip.submit(given)).to.deep.equal({ outcome: 'succeeded', providerReference });
  });

  for (const [amount, reported, status, got] of [
    ['25.60', ['part underpaid'], 'part underpaid', '0.00024576'],
    ['25.61', ['seen pending', 'confirming pending', 'over overpaid'], 'over overpaid', '0.00051220'],
    ['25.62', ['lapsed expired', 'late late'], 'late late', '0.00040992'],
    ['25.63', ['lapsed expired'], 'lapsed expired', '0.00000000'],
    ['25.64', paidScenario, 'done succeeded', '0.00041024'],
  ] as const) {
    it(`plays ${amount}: ${reported.join(', ')}`, async () => {
      const given = payment(amount);
      const outcome = await trip.submit(given);
      expect(outcome.outcome).to.equal('pending');
      await hears(...reported);
      expect(await fetched(given, outcome)).to.deep.equal([`${status} ${amount}`]);
      const report = await trip.fetchStatus(trip.toStored(given, outcome));
      expect(report.result === 'events' && report.events[0]!.dedupeKey?.split('|')[2]).to.equal(got);
    });
  }

  for (const [name, given, decline] of [
    ['a payer in KP', payment('25.9', 'EUR', { country: 'KP' }), '57'],
    ['a price of 50000', payment('50000'), '61'],
    ['a price of 50000.60', payment('50000.60'), '61'],
    ['a price of 50000 JPY', payment('50000', 'JPY'), '61'],
    ['both', payment('60000', 'EUR', { country: 'KP' }), '57'],
  ] as const) {
    it(`declines ${name} with ${decline}, also in a repetition`, async () => {
      const outcome = await trip.submit(given);
      expect(outcome).to.deep.equal({
        outcome: 'failed',
        decline,
        providerReference: outcome.providerReference,
      });
      expect(await trip.submit(given)).to.deep.equal(outcome);
      expect(trip.statuses).to.deep.equal([422, 200]);
      const report = await trip.fetchStatus(trip.toStored(given, outcome));
      expect(report.result === 'events' && report.events[0]).to.include({ providerStatus: 'bad', decline });
      expect(trip.deliveries).to.deep.equal([]);
    });
  }

  it('accepts a price below 50000', async () => {
    expect((await trip.submit(payment('49999.99'))).outcome).to.equal('pending');
  });

  describeScenarioRules({ start, payment: (amount) => payment(amount), scenario: paidScenario });

  it('finds no unknown pay', async () => {
    expect(await fetched(payment(), { outcome: 'unknown' })).to.deep.equal(['nothing_charged']);
    expect(await fetched(payment(), { outcome: 'pending', providerReference: '1' })).to.deep.equal(['nothing_charged']);
  });

  it('refuses a reference with other values', async () => {
    const given = payment();
    await trip.submit(given);
    const others = [
      { ...given, money: { amount: '25.91', currency: 'EUR' } },
      { ...given, payer: { ...given.payer, name: 'Another' } },
    ];
    for (const other of others) expect((await trip.submit(other)).outcome).to.equal('unknown');
    expect(trip.statuses).to.deep.equal([201, 409, 409]);
  });

  it('delivers a callback four times in total unless it is acknowledged with OK', async () => {
    trip.answer('try_later');
    await trip.submit(payment('25.60'));
    await trip.until(() => trip.deliveries.length === 4);
    expect(new Set(trip.deliveries.map(({ request }) => String(request?.body))).size).to.equal(1);
    // A fifth delivery would arrive before the second pay has had its four.
    await trip.submit(payment('25.63'));
    await trip.until(() => trip.deliveries.filter(({ name }) => name === 'lapsed').length === 4);
    expect(trip.deliveries).to.have.length(8);
    expect(trip.deliveries.some(({ acknowledged }) => acknowledged)).to.equal(false);
  });

  for (const [name, acknowledgement, isTaken] of [
    ['OK with white space around it', { status: 200, body: ' OK\n' }, true],
    ['ok in lower case', { status: 200, body: 'ok' }, false],
    ['OK with 201', { status: 201, body: 'OK' }, false],
    ['nothing', { status: 200, body: '' }, false],
  ] as const) {
    it(`${isTaken ? 'accepts' : 'does not accept'} the acknowledgement ${name}`, async () => {
      await trip.close();
      const callbacks = providerH.callbacks.map((route) => ({ ...route, acknowledge: () => acknowledgement }));
      trip = await startRoundTrip({ adapter: { ...providerH, callbacks }, createSandbox, options });
      await trip.submit(payment('25.63'));
      await trip.until(() => trip.deliveries.length > 0);
      expect(trip.deliveries[0]!.acknowledged).to.equal(isTaken);
    });
  }

  describe('the wallet', () => {
    const urlOf = ({ providerReference }: Outcome): string => `${trip.sandboxUrl}/wallet/${providerReference}`;
    const press = (outcome: Outcome, act: string): Promise<CallbackReply> =>
      sendRequest({ method: 'POST', url: urlOf(outcome), body: `act=${act}` }, 2000);

    for (const [act, ...reported] of [
      ['pay', ...paidScenario],
      ['part', 'part underpaid'],
      ['over', 'seen pending', 'confirming pending', 'over overpaid'],
      ['late', 'lapsed expired', 'late late'],
      ['lapse', 'lapsed expired'],
      ['void', 'void cancelled'],
    ] as const) {
      it(`plays ${act} instead of the payer's automatic action`, async () => {
        await slowly();
        const given = payment();
        const outcome = await trip.submit(given);
        const page = await sendRequest({ method: 'GET', url: urlOf(outcome) }, 2000);
        expect(page.body.toString()).to.contain(`<button type="submit" name="act" value="${act}">`);
        expect(page.body.toString()).to.contain(`action="${new URL(urlOf(outcome)).pathname}"`);
        expect((await press(outcome, act)).status).to.equal(200);
        // On a slow machine, some events were reported before the payer's action.
        const ends = (): readonly string[] => trip.reported().slice(-reported.length);
        await trip.until(() => ends().join() === reported.join());
        const count = trip.heard.length;
        // Two delays later, nothing more has been reported about this pay.
        await trip.submit(payment('25.62'));
        await trip.until(() => trip.heard.length === count + 2);
        expect(await fetched(given, outcome)).to.deep.equal([`${reported.at(-1)} 25.90`]);
      });
    }

    it('accepts the rest after a part, and calls money after the end late', async () => {
      const given = payment('25.60');
      const outcome = await trip.submit(given);
      await hears('part underpaid');
      await press(outcome, 'lapse');
      await hears('part underpaid', 'lapsed expired');
      await press(outcome, 'over');
      await hears('part underpaid', 'lapsed expired', 'late late');
      await press(outcome, 'void');
      expect(await fetched(given, outcome)).to.deep.equal(['late late 25.60']);
    });

    it('ignores another action, and has no page for another number', async () => {
      const outcome = await trip.submit(payment('25.63'));
      await hears('lapsed expired');
      expect((await press(outcome, 'constructor')).status).to.equal(200);
      expect((await press({ outcome: 'unknown', providerReference: '1' }, 'pay')).status).to.equal(404);
    });
  });

  describe('a refund', () => {
    async function paid(amount = '25.9') {
      const given = payment(amount);
      const outcome = await trip.submit(given);
      await hears(...paidScenario);
      const stored = trip.toStored(given, outcome);
      return (number: number, sum: string, currency = 'EUR'): Promise<Outcome> =>
        providerH.refund!(
          stored,
          { reference: `${given.reference}-R${number}`, money: { amount: sum, currency }, ...firstRefund },
          trip.provider,
        );
    }

    it('is accepted in parts, reported, and repeated in its current state under the same key', async () => {
      const ask = await paid();
      const first = await ask(1, '10');
      expect(first).to.include({ outcome: 'pending' });
      expect((await ask(1, '11')).outcome).to.equal('unknown');
      expect(await ask(2, '15.91')).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await ask(3, '10', 'USD')).to.include({ outcome: 'failed', nothingCharged: true });
      await hears(...paidScenario, 'returned:done succeeded');
      expect(eventsHeard()[3]).to.include({ amount: '10.00', subReference: first.providerReference });
      expect(await ask(1, '10')).to.deep.equal({ ...first, outcome: 'succeeded' });
      expect(await ask(4, '15.9')).to.include({ outcome: 'pending' });
      expect(trip.statuses).to.deep.equal([201, 202, 409, 422, 422, 200, 202]);
    });

    it('fails for .58 and reverses for .59, and can then be requested again', async () => {
      const ask = await paid();
      await ask(1, '10.58');
      await hears(...paidScenario, 'returned:failed failed');
      expect(await ask(1, '10.58')).to.include({ outcome: 'failed', nothingCharged: true });
      await ask(2, '20.59');
      await hears(...paidScenario, 'returned:failed failed', 'returned:done succeeded', 'returned:reversed reversed');
      const [, , , , done, reversed] = eventsHeard();
      expect(reversed!.orderHint).to.be.greaterThan(done!.orderHint!);
      expect(await ask(2, '20.59')).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await ask(3, '25.9')).to.include({ outcome: 'pending' });
    });

    it('does not hide the payment, and is reported under its own time', async () => {
      const given = payment();
      const outcome = await trip.submit(given);
      await hears(...paidScenario);
      const refund = { reference: `${given.reference}-R1`, money: given.money, ...firstRefund };
      await providerH.refund!(trip.toStored(given, outcome), refund, trip.provider);
      await hears(...paidScenario, 'returned:done succeeded');
      expect(await fetched(given, outcome)).to.deep.equal(['done succeeded 25.90']);
    });

    it('is refused for an unpaid pay', async () => {
      const given = payment('25.63');
      const stored = trip.toStored(given, await trip.submit(given));
      const refund = { reference: `${given.reference}-R1`, money: given.money, ...firstRefund };
      expect(await providerH.refund!(stored, refund, trip.provider)).to.include({
        outcome: 'failed',
        nothingCharged: true,
      });
      const none = { ...stored, providerReference: '1' };
      expect((await providerH.refund!(none, refund, trip.provider)).outcome).to.equal('unknown');
    });
  });

  describe('a refused request', () => {
    const send = (change: Readonly<Record<string, unknown>>, own: Partial<Options> = {}): Promise<HttpReply> => {
      const provider = { ...trip.provider, options: { ...options, ...own } };
      const message = { ...(payMessage(payment(), provider) as object), ...change };
      return trip.provider.http.send(post(provider, '/v2/pays', message));
    };
    const codeOf = (reply: HttpReply): unknown => [
      reply.status,
      (bodyOf(reply)['error'] as Record<string, unknown> | undefined)?.['code'],
    ];

    for (const [name, change] of [
      ['another shop', { shop: 'M-0000002' }],
      ['no reference', { gw_ref: undefined }],
      ['a price as a string', { want: { n: '25.90', cur: 'EUR' } }],
      ['a decimal too few', { want: { n: new JsonNumber('25.9'), cur: 'EUR' } }],
      ['a decimal too many', { want: { n: new JsonNumber('25.901'), cur: 'EUR' } }],
      ['no such currency', { want: { n: new JsonNumber('25.90'), cur: 'ZZZ' } }],
      ['a time too short', { ttl: 59 }],
      ['a time too long', { ttl: 86_401 }],
      ['no callback address', { ipn: 'callbacks' }],
      ['a payer without country', { payer: { name: '', mail: '', ip: null } }],
    ] as const) {
      it(`has ${name}`, async () => expect(codeOf(await send(change))).to.deep.equal([400, 'bad_request']));
    }

    for (const [name, own] of [
      ['another key', { apiKey: 'hk_other' }],
      ['another secret', { apiSecret: 'other' }],
      ['the secret of callbacks', { apiSecret: options.ipnSecrets[0]! }],
    ] as const) {
      it(`has ${name}, also for a GET`, async () => {
        expect(codeOf(await send({}, own))).to.deep.equal([401, 'bad_digest']);
        const provider = { ...trip.provider, options: { ...options, ...own } };
        for (const path of ['/v2/pays/1', '/v2/pays?gw_ref=GW-1-1']) {
          expect(codeOf(await trip.provider.http.send(get(provider, path)))).to.deep.equal([401, 'bad_digest']);
        }
      });
    }

    it('is not strict JSON', async () => {
      const request = post(trip.provider, '/v2/pays', {});
      for (const body of ['', '{"shop":1,"shop":1}']) {
        expect(codeOf(await trip.provider.http.send({ ...request, body }))).to.deep.equal([400, 'bad_request']);
      }
    });
  });

  describe('a trigger', () => {
    const about = { reference: 'GW-77-1', money: { amount: '25.9', currency: 'EUR' }, times: 1, forge: false };

    it('sends every listed event, which the adapter understands, and shows it afterwards', async () => {
      const { events = [] } = createSandbox({
        options,
        providerSide: {},
        baseUrl: 'http://127.0.0.1:1',
        publicUrl: 'http://127.0.0.1:1',
        delayMs: 1,
      });
      expect(events).to.deep.equal(Object.values(providerH.mapStatus.statuses).flat());
      for (const [index, event] of events.entries()) {
        const reference = `GW-77-${index + 1}`;
        const [reply] = await trip.trigger({ ...about, event, reference, providerReference: null });
        expect([reply!.status, reply!.body.toString()]).to.deep.equal([200, 'OK']);
        const heard = eventsHeard().at(-1)!;
        expect(heard).to.include({ providerStatus: event, reference, amount: '25.90' });
        expect(heard.status).to.not.equal('unknown');
        if (heard.kind === 'refund') continue;
        const stored = trip.toStored({ ...submission, reference }, { outcome: 'unknown' });
        expect(await trip.fetched(stored)).to.deep.equal([`${event} ${heard.status} 25.90`]);
      }
    });

    it('cancels the scenario of a pay that it ends in another way', async () => {
      await slowly();
      const given = payment();
      const outcome = await trip.submit(given);
      const { reference } = given;
      await trip.trigger({ ...about, event: 'void', reference, providerReference: outcome.providerReference! });
      await trip.submit(payment('25.62'));
      await trip.until(() => trip.heard.length === 3);
      expect(trip.reported()).to.deep.equal(['void cancelled', 'lapsed expired', 'late late']);
      expect(await fetched(given, outcome)).to.deep.equal(['void cancelled 25.90']);
    });

    it('names one return in the same way, and another return differently', async () => {
      for (const [event, amount] of [
        ['returned:done', '10'],
        ['returned:reversed', '10'],
        ['returned:done', '5'],
      ] as const) {
        await trip.trigger({
          ...about,
          event,
          providerReference: '9007199254740993771',
          money: { amount, currency: 'EUR' },
        });
      }
      const [done, reversed, other] = eventsHeard();
      expect(done!.providerReference).to.equal('9007199254740993771');
      expect(reversed!.subReference).to.equal(done!.subReference);
      expect(other!.subReference).to.not.equal(done!.subReference);
    });

    it('repeats, forges, and sends a wrong price that nothing believes', async () => {
      const given = payment('25.63');
      const outcome = await trip.submit(given);
      await hears('lapsed expired');
      const { reference } = given;
      const providerReference = outcome.providerReference!;
      const wrong = { ...about, event: 'done', reference, providerReference };
      expect(await trip.trigger({ ...wrong, times: 3 })).to.have.length(3);
      expect(eventsHeard().at(-1)).to.include({ amount: '25.90', providerReference });
      const [reply] = await trip.trigger({ ...wrong, money: given.money, forge: true });
      expect([reply!.status, reply!.body.toString()]).to.deep.equal([401, 'BAD DIGEST']);
      await trip.trigger({ ...wrong, reference: 'GW-7799-1', providerReference: null, forge: true });
      const unheard = await fetched({ ...given, reference: 'GW-7799-1' }, { outcome: 'unknown' });
      expect(unheard).to.deep.equal(['nothing_charged']);
      expect(await fetched(given, outcome)).to.deep.equal(['lapsed expired 25.63']);
    });

    it('refuses an unknown event or number', async () => {
      for (const wrong of [
        { event: 'paid', providerReference: null },
        { event: 'done', providerReference: 'P-1' },
      ]) {
        const refused = await trip.trigger({ ...about, ...wrong }).catch((error: unknown) => error);
        expect(refused).to.be.instanceOf(RangeError);
      }
    });
  });

  it('reports numbers that no double can hold, signed in their spelling', async () => {
    const { providerReference } = await trip.submit(payment('40000.01'));
    await trip.until(() => trip.deliveries.length === 3);
    const { request } = trip.deliveries[2]!;
    const body = String(request!.body);
    expect(body).to.contain(`"pay_no":${providerReference},`).and.contain('"n":40000.01').and.contain('1.2e-6');
    expect(request!.headers!['X-H-Digest']).to.equal(
      digestOf(options.ipnSecrets[0]!, canonicalText(body)).toString('hex'),
    );
    expect(stringifyExact(bodyOf({ body })['want'])).to.equal('{"n":40000.01,"cur":"EUR"}');
  });
});
