import type { HttpRequest, Outcome, Submission } from '@paywright/contract';
import { firstRefund, realHttp, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerB from '../../index.ts';
import type { Options } from '../../options.ts';
import { controlOf, readAnswer, type Answer } from '../../wire.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness, keys } from '../messages.ts';

const { options, submission } = harness;

const start = (delayMs = 8): Promise<RoundTrip<Options>> =>
  startRoundTrip({ adapter: providerB, createSandbox, options, delayMs });

describe('the adapter with its sandbox', () => {
  let trip: RoundTrip<Options>;
  let count = 0;

  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());

  function payment(
    number = '4111111111111111',
    amount = '25.9',
    name = 'Ines Duarte',
    currency = 'EUR',
  ): Submission<'card'> {
    count += 1;
    return {
      ...submission,
      reference: `GW-${count}-1`,
      money: { amount, currency },
      sandbox: true,
      payer: { ...submission.payer, name },
      card: { ...submission.card, number },
    };
  }

  const askedBack = (given: Submission<'card'>, outcome: Outcome, number: number, amount: string, currency = 'EUR') =>
    providerB.refund!(
      trip.toStored(given, outcome),
      { reference: `${given.reference}-R${number}`, money: { amount, currency }, ...firstRefund },
      trip.provider,
    );
  const enter = (given: Submission<'card'>, outcome: Outcome, code: string): Promise<Outcome> =>
    providerB.complete!(trip.toStored(given, outcome), { kind: 'code', code }, trip.provider);
  const fetched = (given: Submission<'card'>, outcome: Outcome): Promise<string[]> =>
    trip.fetched(trip.toStored(given, outcome));

  /** Waits until exactly these reports came, in any order: two connections may overtake each other. */
  async function hears(...reported: readonly string[]): Promise<void> {
    await trip.until(() => trip.reported().length >= reported.length);
    expect(trip.reported().sort()).to.deep.equal([...reported].sort());
  }

  /** B's own answer to the adapter's request, optionally with other fields. */
  async function ask(
    call: (ctx: typeof trip.provider) => Promise<unknown>,
    change: Readonly<Record<string, string | null>> = {},
    edit: (request: HttpRequest) => HttpRequest = (request) => request,
  ): Promise<{ readonly status: number; readonly answer: Answer }> {
    let reported: { status: number; answer: Answer } | undefined;
    const http = {
      send: async (request: HttpRequest) => {
        const fields = new URLSearchParams(String(request.body));
        for (const [name, value] of Object.entries(change)) {
          if (value === null) fields.delete(name);
          else fields.set(name, value);
        }
        const reply = await trip.provider.http.send(edit({ ...request, body: fields.toString() }));
        reported = { status: reply.status, answer: readAnswer(reply, fields.get('gw_ref') ?? '') ?? new Map() };
        return reply;
      },
    };
    await call({ ...trip.provider, http });
    return reported!;
  }
  const problemOf = (answer: Answer): string =>
    ['kind', 'code', 'field'].flatMap((name) => answer.get(name) ?? []).join(' ');

  for (const number of ['4111111111111111', '5555555555554444', '4000000000003220', '6304000000000000']) {
    it(`approves card ${number}: accepted, then reported`, async () => {
      const given = payment(number);
      const outcome = await trip.submit(given);
      expect(outcome).to.deep.equal({ outcome: 'pending', providerReference: outcome.providerReference });
      expect(outcome.providerReference).to.match(/^0\d{19}$/);
      await hears('sale/approved succeeded');
      expect(trip.heard[0]?.events[0]).to.include({
        reference: given.reference,
        providerReference: outcome.providerReference,
        amount: '25.90',
        currency: 'EUR',
        dedupeKey: `${outcome.providerReference}:sale:0:approved`,
      });
      expect(await fetched(given, outcome)).to.deep.equal(['sale/approved succeeded 25.90']);
      expect(await fetched(given, { outcome: 'unknown' })).to.deep.equal(['sale/approved succeeded 25.90']);
    });
  }

  it('reports processing until the end', async () => {
    await trip.close();
    trip = await start(120);
    const given = payment();
    const outcome = await trip.submit(given);
    expect(await fetched(given, outcome)).to.deep.equal(['sale/processing pending 25.90']);
    await hears('sale/approved succeeded');
  });

  for (const [number, decline] of [
    ['4000000000000002', '05'],
    ['4000000000009995', '51'],
    ['4000000000000127', '57'],
    ['4000000000000259', '61'],
  ] as const) {
    it(`declines card ${number} with ${decline}, later`, async () => {
      const given = payment(number);
      const outcome = await trip.submit(given);
      expect(outcome.outcome).to.equal('pending');
      await hears('sale/declined failed');
      const report = await trip.fetchStatus(trip.toStored(given, outcome));
      expect(report.result === 'events' && report.events[0]).to.include({ providerStatus: 'sale/declined', decline });
    });
  }

  it('declines card 0069 in the answer, and also reports it', async () => {
    const given = payment('4000000000000069');
    const outcome = await trip.submit(given);
    expect(outcome).to.include({ outcome: 'failed', decline: '54', declineText: 'card expired' });
    expect(await fetched(given, outcome)).to.deep.equal(['sale/declined failed 25.90']);
    await hears('sale/declined failed');
    await trip.until(() => trip.deliveries.length === 1);
    expect(new URL(trip.deliveries[0]!.request!.url).searchParams.get('code')).to.equal('208');
  });

  it('settles 3063 and 3089 after three delays, 3097 never', async () => {
    await trip.close();
    trip = await start(120);
    const [good, bad, never] = [payment('4000000000003063'), payment('4000000000003089'), payment('4000000000003097')];
    const outcomes = [await trip.submit(good), await trip.submit(bad), await trip.submit(never)] as const;
    const quick = await trip.submit(payment());
    await trip.until(() => trip.reported().length === 3);
    expect(trip.heard[0]?.events[0]?.providerReference).to.equal(quick.providerReference);
    expect(trip.reported().sort()).to.deep.equal([
      'sale/approved succeeded',
      'sale/approved succeeded',
      'sale/declined failed',
    ]);
    expect(await fetched(good, outcomes[0])).to.deep.equal(['sale/approved succeeded 25.90']);
    expect(await fetched(bad, outcomes[1])).to.deep.equal(['sale/declined failed 25.90']);
    expect(await fetched(never, outcomes[2])).to.deep.equal(['sale/processing pending 25.90']);
  });

  it('charges and closes the connection for the silent card', async () => {
    await trip.close();
    trip = await start(120);
    const given = payment('4000000000006975');
    const outcome = await trip.submit(given);
    expect(outcome.outcome).to.equal('unknown');
    expect(await fetched(given, outcome)).to.deep.equal(['sale/approved succeeded 25.90']);
    expect((await trip.submit(given)).outcome).to.equal('pending');
    await hears('sale/approved succeeded');
  });

  it('returns the whole amount later for card 0341', async () => {
    const given = payment('4000000000000341');
    const outcome = await trip.submit(given);
    await hears('sale/approved succeeded', 'reversal/approved succeeded');
    expect(trip.heard[1]?.events[0]).to.include({
      mustFetch: true,
      amount: '25.90',
      subReference: `${outcome.providerReference}/1`,
    });
    expect(await fetched(given, outcome)).to.deep.equal(['sale/approved succeeded 25.90', 'returned succeeded 25.90']);
    expect(await askedBack(given, outcome, 1, '1')).to.include({ outcome: 'failed', nothingCharged: true });
  });

  it('opens and loses a dispute for card 0440', async () => {
    await trip.close();
    trip = await start(120);
    const given = payment('4000000000000440');
    const outcome = await trip.submit(given);
    await trip.until(() => trip.heard.length === 2);
    expect(await fetched(given, outcome)).to.deep.equal(['sale/approved succeeded 25.90', 'open opened 25.90']);
    await hears('sale/approved succeeded', 'dispute/processing opened', 'dispute/approved lost');
    const cases = trip.heard.slice(1).map(({ events }) => events[0]?.subReference);
    expect(cases).to.deep.equal([`${outcome.providerReference}/1`, `${outcome.providerReference}/1`]);
    expect(await fetched(given, outcome)).to.deep.equal(['sale/approved succeeded 25.90', 'lost lost 25.90']);
  });

  describe('names', () => {
    for (const [name, number, reported, status] of [
      ['FILTER Ines', undefined, ['sale/filtered failed'], 'sale/filtered failed 25.90'],
      ['ERROR Ines', undefined, ['sale/error failed'], 'sale/error failed 25.90'],
      ['FILTERINES', undefined, ['sale/approved succeeded'], 'sale/approved succeeded 25.90'],
      ['ERROR Ines', '4000000000000069', ['sale/error failed'], 'sale/error failed 25.90'],
      ['DOUBT Ines', undefined, ['sale/unknown pending', 'sale/approved succeeded'], 'sale/approved succeeded 25.90'],
      [
        'DOUBT Ines',
        '4000000000009995',
        ['sale/unknown pending', 'sale/declined failed'],
        'sale/declined failed 25.90',
      ],
    ] as const) {
      it(`ends ${name} with card ${number ?? '4111…'} as ${reported.join(', ')}`, async () => {
        const given = payment(number, undefined, name);
        const outcome = await trip.submit(given);
        expect(outcome.outcome).to.equal('pending');
        await hears(...reported);
        expect(await fetched(given, outcome)).to.deep.equal([status]);
      });
    }
  });

  it('reports a doubt one delay before the end', async () => {
    await trip.close();
    trip = await start(120);
    const given = payment(undefined, undefined, 'DOUBT Ines');
    const outcome = await trip.submit(given);
    await trip.until(() => trip.heard.length === 1);
    expect(await fetched(given, outcome)).to.deep.equal(['sale/unknown pending 25.90']);
    await trip.until(() => trip.heard.length === 2);
    expect(trip.reported()).to.deep.equal(['sale/unknown pending', 'sale/approved succeeded']);
  });

  describe('the member code', () => {
    const card = '4000000000003238';

    it('requests the code, and approves the right one', async () => {
      const given = payment(card);
      const outcome = await trip.submit(given);
      expect(outcome).to.deep.equal({
        outcome: 'pending',
        providerReference: outcome.providerReference,
        action: { type: 'confirm', paymentId: outcome.providerReference },
      });
      const waiting = await trip.fetchStatus(trip.toStored(given, outcome));
      expect(waiting.result === 'events' && waiting.events[0]).to.have.nested.property('action.type', 'confirm');
      const pending = { outcome: 'pending', providerReference: outcome.providerReference };
      expect(await enter(given, outcome, '000000')).to.include({ ...pending, codeRefused: true });
      expect(await enter(given, outcome, '123456')).to.deep.equal(pending);
      expect(await enter(given, outcome, '123456')).to.deep.equal(pending);
      expect((await enter(given, outcome, '000000')).outcome).to.equal('unknown');
      await hears('sale/approved succeeded');
      expect(await fetched(given, outcome)).to.deep.equal(['sale/approved succeeded 25.90']);
    });

    it('declines after three wrong codes, counting down', async () => {
      const given = payment(card);
      const outcome = await trip.submit(given);
      const left = async (): Promise<string> => {
        const { answer } = await ask((ctx) =>
          providerB.complete!(trip.toStored(given, outcome), { kind: 'code', code: '000000' }, ctx),
        );
        return `${answer.get('kind')} ${answer.get('code')} ${answer.get('left') ?? ''}`.trim();
      };
      expect([await left(), await left(), await left(), await left()]).to.deep.equal([
        'problem 140 2',
        'problem 140 1',
        'declined 230',
        'problem 141',
      ]);
      await hears('sale/declined failed');
      const report = await trip.fetchStatus(trip.toStored(given, outcome));
      expect(report.result === 'events' && report.events[0])
        .to.include({ decline: '05' })
        .and.not.have.property('action');
    });

    it('awaits a code for no other sale', async () => {
      const given = payment();
      const outcome = await trip.submit(given);
      expect((await enter(given, outcome, '123456')).outcome).to.equal('unknown');
      expect((await enter(payment(), { outcome: 'pending', providerReference: '1' }, '123456')).outcome).to.equal(
        'unknown',
      );
      await hears('sale/approved succeeded');
    });
  });

  describe('amounts that misbehave', () => {
    for (const [amount, what] of [
      ['25.50', 'answers 500'],
      ['25.52', 'shows the page of a proxy'],
    ] as const) {
      it(`returns ${what} for ${amount} and stores nothing`, async () => {
        const given = payment(undefined, amount);
        const outcome = await trip.submit(given);
        expect(outcome.outcome).to.equal('unknown');
        const late = { ...trip.toStored(given, outcome), endedAt: new Date(Date.now() - 10_000) };
        expect(await trip.fetched(late)).to.deep.equal(['nothing_charged']);
        expect(await trip.fetched({ ...late, endedAt: new Date() })).to.deep.equal(['no_information']);
      });
    }

    it('asks to wait once for .51', async () => {
      const given = payment(undefined, '25.51');
      const submitOnce = () => providerB.submit(given, { ...trip.provider, http: realHttp(trip.sandboxUrl) });
      expect(await submitOnce()).to.include({ outcome: 'failed', nothingCharged: true, reason: 'B answered 429' });
      expect((await submitOnce()).outcome).to.equal('pending');
      expect((await trip.submit(payment(undefined, '25.51'))).outcome).to.equal('pending');
      await hears('sale/approved succeeded', 'sale/approved succeeded');
    });

    it('stops the answer before its end for .53, and returns the whole answer to a repetition', async () => {
      const given = payment(undefined, '25.53');
      const { status, answer } = await ask((ctx) => providerB.submit(given, ctx));
      expect([status, answer.size]).to.deep.equal([200, 0]);
      const again = await ask((ctx) => providerB.submit(given, ctx));
      expect([again.answer.get('kind'), again.answer.get('repeat')]).to.deep.equal(['taken', '1']);
      await hears('sale/approved succeeded');
    });

    it('delivers three times for .54', async () => {
      await trip.submit(payment(undefined, '25.54'));
      await trip.until(() => trip.heard.length === 3);
      expect(new Set(trip.heard.map(({ events }) => JSON.stringify(events))).size).to.equal(1);
    });

    it('reports before it answers for .55, even reports that come late otherwise', async () => {
      for (const number of ['4111111111111111', '4000000000003063']) {
        const before = trip.heard.length;
        expect((await trip.submit(payment(number, '25.55'))).outcome).to.equal('pending');
        expect(trip.heard).to.have.length(before + 1);
      }
      const given = payment('4000000000003238', '25.55');
      const outcome = await trip.submit(given);
      expect(trip.heard).to.have.length(2);
      await enter(given, outcome, '123456');
      expect(trip.heard).to.have.length(3);
    });

    for (const [name, number, reported] of [
      ['Ines', undefined, ['sale/approved succeeded', 'sale/processing pending']],
      ['DOUBT Ines', undefined, ['sale/approved succeeded', 'sale/unknown pending']],
      ['Ines', '4000000000009995', ['sale/declined failed', 'sale/processing pending']],
    ] as const) {
      it(`reports ${reported[0]} first, then ${reported[1]} for .56`, async () => {
        await trip.close();
        trip = await start(120); // Far enough apart that no connection overtakes another.
        const given = payment(number, '25.56', name);
        const outcome = await trip.submit(given);
        await trip.until(() => trip.heard.length === 2);
        expect(trip.reported()).to.deep.equal(reported);
        expect(await fetched(given, outcome)).to.deep.equal([`${reported[0]} 25.56`]);
      });
    }

    it('makes a wrong check first for .57', async () => {
      await trip.submit(payment(undefined, '25.57'));
      await hears('sale/approved succeeded');
      expect(trip.heard.map(({ outcome }) => outcome)).to.deep.equal(['invalid_signature', 'accepted']);
    });

    it('ignores these rules in a currency without decimals, and reads .500 of three decimals as .50', async () => {
      expect((await trip.submit(payment(undefined, '2550', 'Ines', 'JPY'))).outcome).to.equal('pending');
      expect((await trip.submit(payment(undefined, '25.5', 'Ines', 'KWD'))).outcome).to.equal('unknown');
      await trip.until(() => trip.heard.length === 1);
      expect(trip.heard[0]?.events[0]).to.include({ amount: '2550', currency: 'JPY' });
    });
  });

  describe('returns', () => {
    it('accepts partial returns, reports and counts each, and repeats the stored answer', async () => {
      const given = payment();
      const outcome = await trip.submit(given);
      await hears('sale/approved succeeded');
      const first = await askedBack(given, outcome, 1, '10');
      expect(first).to.deep.equal({ outcome: 'pending', providerReference: `${outcome.providerReference}/1` });
      expect(await askedBack(given, outcome, 1, '10')).to.deep.equal(first);
      expect((await askedBack(given, outcome, 1, '11')).outcome).to.equal('unknown');
      expect(await askedBack(given, outcome, 2, '15.91')).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await askedBack(given, outcome, 2, '15.9')).to.include({
        outcome: 'pending',
        providerReference: `${outcome.providerReference}/2`,
      });
      await hears('sale/approved succeeded', 'reversal/approved succeeded', 'reversal/approved succeeded');
      expect(await fetched(given, outcome)).to.deep.equal([
        'sale/approved succeeded 25.90',
        'returned succeeded 25.90',
      ]);
    });

    it('refuses a return of an unapproved or unknown sale, or in another currency', async () => {
      const given = payment('4000000000003097');
      const outcome = await trip.submit(given);
      const nothing = { outcome: 'failed', nothingCharged: true } as const;
      expect(await askedBack(given, outcome, 1, '1')).to.include({ ...nothing, reason: 'B answered problem 131' });
      expect(await askedBack(given, outcome, 1, '1', 'USD')).to.include(nothing);
      expect((await askedBack(given, { ...outcome, providerReference: '1' }, 1, '1')).outcome).to.equal('unknown');
    });
  });

  it('delivers an unacknowledged callback five times in total', async () => {
    trip.answer('try_later');
    await trip.submit(payment());
    await trip.until(() => trip.deliveries.length === 5);
    await trip.submit(payment());
    await trip.until(() => trip.deliveries.length === 10);
    expect(trip.deliveries.every(({ reply, acknowledged }) => reply?.status === 503 && !acknowledged)).to.equal(true);
  });

  it('accepts one sale per reference and refuses a different repetition', async () => {
    const given = payment();
    const first = await trip.submit(given);
    expect(await trip.submit(given)).to.deep.equal(first);
    const differs = async (change: Partial<Submission<'card'>>): Promise<string> =>
      problemOf((await ask((ctx) => providerB.submit({ ...given, ...change }, ctx))).answer);
    expect(await differs({ money: { amount: '26', currency: 'EUR' } })).to.equal('problem 120');
    expect(await differs({ money: { amount: '25.9', currency: 'USD' } })).to.equal('problem 120');
    expect(await differs({ card: { ...given.card, number: '5555555555554444' } })).to.equal('problem 120');
    await hears('sale/approved succeeded');
  });

  it('answers that a sale is in progress', async () => {
    await trip.close();
    trip = await start(8);
    const given = payment(undefined, '25.55');
    trip.answer('accepted');
    const [one, other] = await Promise.all([
      ask((ctx) => providerB.submit(given, ctx)),
      ask((ctx) => providerB.submit(given, ctx)),
    ]);
    expect([problemOf(one.answer), problemOf(other.answer)].sort()).to.deep.equal(['problem 121', 'taken']);
  });

  describe('an invalid request', () => {
    const sale = (ctx: typeof trip.provider) => providerB.submit(payment(), ctx);
    const status = (ctx: typeof trip.provider) =>
      providerB.fetchStatus!(trip.toStored(payment(), { outcome: 'unknown' }), ctx);

    for (const [field, value] of [
      ['control', 'ab'.repeat(20)],
      ['control', ''],
      ['control', null],
      ['mail', 'other@shop.example'],
      ['total', '25.91'],
    ] as const) {
      it(`answers problem 102 for ${field} ${value === null ? 'missing' : JSON.stringify(value)}`, async () => {
        expect(problemOf((await ask(sale, { [field]: value })).answer)).to.equal('problem 102');
      });
    }

    for (const [field, value] of [
      ['gw_ref', ''],
      ['total', '25.9'],
      ['total', 'x'],
      ['cur', 'eur'],
      ['pan', '4111111111111112'],
      ['exp_month', '13'],
      ['exp_year', '31'],
      ['cvv', '1'],
      ['holder', null],
      ['zip', null],
      ['hook', 'nowhere'],
    ] as const) {
      it(`answers problem 101 for ${field} ${value === null ? 'missing' : JSON.stringify(value)}`, async () => {
        expect(problemOf((await ask(sale, { [field]: value })).answer)).to.equal(`problem 101 ${field}`);
      });
    }

    it('answers 103 for another endpoint or login, 104 for an unknown currency, 400 for a body that is not a form', async () => {
      const elsewhere = { ...options, endpoint: '4472' };
      const asOther = (ctx: typeof trip.provider) => sale({ ...ctx, options: elsewhere });
      expect(problemOf((await ask(asOther)).answer)).to.equal('problem 103');
      expect(problemOf((await ask(status, { login: 'someone' })).answer)).to.equal('problem 103');
      expect(problemOf((await ask(sale, { cur: 'QQQ' })).answer)).to.equal('problem 104 cur');
      const bare = (request: HttpRequest): HttpRequest => ({ ...request, headers: {} });
      expect((await ask(sale, {}, bare)).status).to.equal(400);
    });

    it('accepts empty and long texts, amount 0, and the control under a previous key', async () => {
      const given = payment(undefined, '0', '');
      const payer = { ...given.payer, email: '', address: 'x'.repeat(5000), postalCode: '' };
      expect((await trip.submit({ ...given, payer })).outcome).to.equal('pending');
      const rotated = { ...options, controlKeys: [keys[1], keys[0]] };
      const byOldKey = await providerB.submit(payment(), { ...trip.provider, options: rotated });
      expect(byOldKey.outcome).to.equal('pending');
      await hears('sale/approved succeeded', 'sale/approved succeeded');
    });
  });

  it('appends to a hook that already has a query', async () => {
    const hook = `${trip.provider.publicUrl}/callbacks/providerB?shop=7`;
    await providerB.submit(payment(), { ...trip.provider, callbackUrl: () => hook });
    await hears('sale/approved succeeded');
    await trip.until(() => trip.deliveries.length === 1);
    expect(trip.deliveries[0]?.request?.url).to.match(/\/callbacks\/providerB\?shop=7&outcome=approved&/);
  });

  describe('callbacks on demand', () => {
    const money = { amount: '25.9', currency: 'EUR' };
    const usual = { providerReference: null, money, times: 1, forge: false };

    it('reports every event of its list for a payment that it never received', async () => {
      const { events = [] } = createSandbox({
        options,
        providerSide: {},
        baseUrl: trip.sandboxUrl,
        publicUrl: trip.provider.publicUrl,
        delayMs: 1,
      });
      expect(events).to.have.length(18);
      for (const event of events) {
        const facts = { ...usual, event, reference: 'GW-900-1', providerReference: '0042' };
        expect((await trip.trigger(facts)).map(({ status }) => status)).to.deep.equal([200]);
        const [reported] = trip.heard.at(-1)!.events;
        expect(reported).to.include({
          providerStatus: event,
          reference: 'GW-900-1',
          providerReference: '0042',
          amount: '25.90',
        });
      }
    });

    it('answers a status as it reported', async () => {
      const given = payment('4000000000003097');
      const outcome = await trip.submit(given);
      const { reference } = given;
      await trip.trigger({ ...usual, event: 'sale/approved', reference, forge: true });
      await trip.trigger({ ...usual, event: 'sale/approved', reference, money: { amount: '1', currency: 'EUR' } });
      await trip.trigger({ ...usual, event: 'sale/approved', reference, money: { ...money, currency: 'USD' } });
      expect(await fetched(given, outcome)).to.deep.equal(['sale/processing pending 25.90']);
      await trip.trigger({ ...usual, event: 'sale/approved', reference });
      await trip.trigger({ ...usual, event: 'sale/declined', reference });
      await trip.trigger({ ...usual, event: 'reversal/approved', reference, money: { amount: '10', currency: 'EUR' } });
      await trip.trigger({ ...usual, event: 'dispute/processing', reference, times: 2 });
      expect(await fetched(given, outcome)).to.deep.equal([
        'sale/approved succeeded 25.90',
        'returned succeeded 10.00',
        'open opened 25.90',
      ]);
      expect(trip.heard.map(({ outcome: ack }) => ack)).to.deep.equal([
        'invalid_signature',
        ...Array(7).fill('accepted'),
      ]);
      expect(trip.heard.at(-1)!.events).to.deep.equal(trip.heard.at(-2)!.events);
    });

    it('refuses an unknown event', async () => {
      const refused = await trip.trigger({ ...usual, event: 'sale/gone', reference: 'GW-1-1' }).catch((error) => error);
      expect(refused).to.be.instanceOf(RangeError).with.property('message').that.contains('sale/approved');
    });
  });

  it('makes the control of B’s worked example', () => {
    const key = 'B7F3A1D0-open-44E2-9C58-0A6B1D2E3F40';
    expect(controlOf(key, 'approved', '8812003', 'GW-10042-1').toString('hex')).to.equal(
      '757dcd4c7798f16e6a23a4a3d2a249fc85497640',
    );
  });
});
