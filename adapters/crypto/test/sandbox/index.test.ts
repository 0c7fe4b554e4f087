import { readJsonObject, type HttpReply, type Outcome, type Submission } from '@paywright/contract';
import { sendRequest, type CallbackReply } from '@paywright/contract/sandbox';
import { firstRefund, describeScenarioRules, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { get, post } from '../../wire.ts';
import coinServer from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { invoiceMessage } from '../../submit.ts';
import { harness, pageOptions } from '../messages.ts';

const { options, submission } = harness;

const paidScenario = ['invoice.seen pending', 'invoice.processing pending', 'invoice.settled succeeded'];

describe('the adapter with its sandbox', () => {
  let trip: RoundTrip<Options>;
  let count = 0;

  const start = (delayMs = 8, own = options): Promise<RoundTrip<Options>> =>
    startRoundTrip({ adapter: coinServer, createSandbox, options: own, delayMs });
  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());
  /** Starts again with delays far enough apart that no callback overtakes another. */
  async function slowly(own = options): Promise<void> {
    await trip.close();
    trip = await start(80, own);
  }

  function payment(amount = '25.9', currency = 'EUR', country = 'PT'): Submission<'billing'> {
    count += 1;
    const money = { amount, currency };
    return { ...submission, reference: `GW-${count}-1`, money, sandbox: true, payer: { ...submission.payer, country } };
  }

  /** Waits until exactly these reports came, in any order: two connections may overtake each other. */
  async function hears(...reported: readonly string[]): Promise<void> {
    await trip.until(() => trip.reported().length >= reported.length);
    expect(trip.reported().sort()).to.deep.equal([...reported].sort());
  }
  const eventsHeard = () => trip.heard.flatMap(({ events }) => events);
  const fetched = (given: Submission<'billing'>, outcome: Outcome): Promise<string[]> =>
    trip.fetched(trip.toStored(given, outcome));
  const bodyOf = ({ body }: { readonly body?: Uint8Array | string }) => readJsonObject(Buffer.from(body as string))!;
  const bodies = () => trip.deliveries.map(({ request }) => bodyOf(request!));

  it('creates an invoice, then reports each step until it is settled', async () => {
    await slowly();
    const given = payment();
    const outcome = await trip.submit(given);
    const { providerReference = '' } = outcome;
    expect(providerReference).to.match(/^inv_\w{12}$/);
    const action = outcome.outcome === 'pending' ? outcome.action : undefined;
    expect(action).to.include({ type: 'crypto', coin: 'BTC', amount: '0.00041440', network: 'bitcoin' });
    const left = action?.type === 'crypto' ? Date.parse(action.expiry) - Date.now() : 0;
    expect(left).to.be.within(890_000, 900_000);
    expect(await fetched(given, outcome)).to.deep.equal(['invoice.new pending 25.90']);
    await trip.until(() => trip.heard.length === 3);
    expect(trip.reported()).to.deep.equal(paidScenario);
    for (const event of eventsHeard()) {
      expect(event).to.include({ reference: given.reference, providerReference, amount: null, mustFetch: true });
    }
    for (const { deliveryNo, firstDeliveryNo, resent } of bodies()) {
      expect([firstDeliveryNo, resent]).to.deep.equal([deliveryNo, false]);
    }
    expect(trip.deliveries[0]!.request!.headers).to.include({ 'X-Cr-Delivery': bodies()[0]!['deliveryNo'] });
    expect(await fetched(given, outcome)).to.deep.equal(['invoice.settled succeeded 25.90']);
    expect(await fetched(given, { outcome: 'unknown' })).to.deep.equal(['invoice.settled succeeded 25.90']);
    expect(await trip.submit(given)).to.deep.equal({ outcome: 'succeeded', providerReference });
  });

  for (const [amount, reported, status, paid] of [
    ['25.60', ['invoice.partial underpaid'], 'invoice.partial underpaid', '15.36'],
    [
      '25.61',
      ['invoice.seen pending', 'invoice.processing pending', 'invoice.settled overpaid'],
      'invoice.settled overpaid',
      '32.01',
    ],
    ['25.62', ['invoice.expired expired', 'invoice.settled late'], 'invoice.settled late', '25.62'],
    ['25.63', ['invoice.expired expired'], 'invoice.expired expired', '0.00'],
    ['25.64', ['invoice.seen pending', 'invoice.invalid failed'], 'invoice.invalid failed', '0.00'],
  ] as const) {
    it(`plays ${amount}: ${reported.join(', ')}`, async () => {
      const given = payment(amount);
      const outcome = await trip.submit(given);
      expect(outcome.outcome).to.equal('pending');
      await hears(...reported);
      expect(await fetched(given, outcome)).to.deep.equal([`${status} ${amount}`]);
      const report = await trip.fetchStatus(trip.toStored(given, outcome));
      const [event] = report.result === 'events' ? report.events : [];
      expect(event!.dedupeKey?.split(':')[2]).to.equal(paid);
      expect(event!.decline).to.equal(amount === '25.64' ? '05' : undefined);
    });
  }

  it('reports a double spend, and an invoice that expired half paid', async () => {
    const [invalid, partial] = [await trip.submit(payment('25.64')), await trip.submit(payment('25.60'))];
    await hears('invoice.seen pending', 'invoice.invalid failed', 'invoice.partial underpaid');
    const url = `${trip.sandboxUrl}/i/${partial.providerReference}`;
    await sendRequest({ method: 'POST', url, body: 'act=expire' }, 2000);
    await trip.until(() => trip.heard.length === 4);
    const said = new Map(bodies().map((body) => [body['type'], body]));
    expect(said.get('invoice.invalid')).to.include({ reason: 'double-spent', invoice: invalid.providerReference });
    expect(said.get('invoice.expired')).to.include({ partial: true });
  });

  for (const [name, given, decline] of [
    ['a buyer in KP', payment('25.9', 'EUR', 'KP'), '57'],
    ['a price of 50000', payment('50000'), '61'],
    ['a price of 50000.64', payment('50000.64'), '61'],
    ['a price of 50000 JPY', payment('50000', 'JPY'), '61'],
  ] as const) {
    it(`refuses ${name} with ${decline}, without an invoice`, async () => {
      const outcome = await trip.submit(given);
      expect(outcome).to.deep.equal({ outcome: 'failed', decline });
      expect(await trip.submit(given)).to.deep.equal(outcome);
      expect(await fetched(given, outcome)).to.deep.equal(['nothing_charged']);
      expect([trip.statuses, trip.deliveries]).to.deep.equal([[422, 422, 200], []]);
    });
  }
  it('accepts a price below 50000', async () => {
    expect((await trip.submit(payment('49999.99'))).outcome).to.equal('pending');
  });

  describeScenarioRules({ start, payment: (amount) => payment(amount), scenario: paidScenario });

  it('repeats with another number for .54 and .57, in other bytes', async () => {
    for (const [amount, times] of [
      ['25.54', 3],
      ['25.57', 2],
    ] as const) {
      const before = trip.deliveries.length;
      const outcome = await trip.submit(payment(amount));
      const seen = () =>
        bodies().filter(({ type, invoice }) => type === 'invoice.seen' && invoice === outcome.providerReference);
      await trip.until(() => trip.deliveries.length >= before + (amount === '25.54' ? 9 : 4));
      expect(seen()).to.have.length(times);
      expect(new Set(seen().map(({ deliveryNo }) => deliveryNo)).size).to.equal(times);
      expect(new Set(seen().map(({ firstDeliveryNo }) => firstDeliveryNo))).to.deep.equal(
        new Set([seen()[0]!['deliveryNo']]),
      );
      expect(seen().map(({ resent }) => resent)).to.deep.equal([
        false,
        ...Array.from({ length: times - 1 }, () => true),
      ]);
    }
  });

  it('refuses a reference with other values', async () => {
    const given = payment();
    const first = await trip.submit(given);
    expect((await trip.submit({ ...given, payer: { ...given.payer, name: 'Another' } })).providerReference).to.equal(
      first.providerReference,
    );
    for (const money of [
      { amount: '25.91', currency: 'EUR' },
      { amount: '25.9', currency: 'USD' },
    ]) {
      expect((await trip.submit({ ...given, money })).outcome).to.equal('unknown');
    }
    const other = { ...trip.provider, options: { ...options, coin: 'LTC' } };
    expect((await coinServer.submit(given, other)).outcome).to.equal('unknown');
    expect(trip.statuses).to.deep.equal([201, 200, 409, 409, 409]);
  });

  for (const [status, times] of [
    [503, 4],
    [500, 4],
    [429, 4],
    [408, 4],
    [401, 1],
    [400, 1],
    [302, 1],
    [204, 1],
  ] as const) {
    it(`delivers ${times === 1 ? 'once' : `${times} times in total`} after the answer ${status}`, async () => {
      await trip.close();
      const callbacks = coinServer.callbacks.map((route) => ({ ...route, acknowledge: () => ({ status, body: '' }) }));
      trip = await startRoundTrip({ adapter: { ...coinServer, callbacks }, createSandbox, options });
      const sent = (outcome: Outcome): number =>
        bodies().filter(({ invoice }) => invoice === outcome.providerReference).length;
      const first = await trip.submit(payment('25.63'));
      await trip.until(() => sent(first) >= times);
      // One more would come before the second and third invoices have had theirs.
      const second = await trip.submit(payment('25.63'));
      await trip.until(() => sent(second) >= times);
      const third = await trip.submit(payment('25.63'));
      await trip.until(() => sent(third) >= times);
      expect(trip.deliveries).to.have.length(3 * times);
      expect(new Set(eventsHeard().map(({ dedupeKey }) => dedupeKey)).size).to.equal(3);
      expect(trip.deliveries.every(({ acknowledged }) => acknowledged === (status === 204))).to.equal(true);
    });
  }

  describe('the page of an invoice', () => {
    const urlOf = ({ providerReference }: Outcome): string => `${trip.sandboxUrl}/i/${providerReference}`;
    const press = (outcome: Outcome, act: string): Promise<CallbackReply> =>
      sendRequest({ method: 'POST', url: urlOf(outcome), body: `act=${act}` }, 2000);

    it('is the destination of the payer with flow page', async () => {
      await slowly(pageOptions);
      const given = payment();
      const outcome = await trip.submit(given);
      expect(outcome).to.deep.include({ action: { type: 'redirect', method: 'GET', url: urlOf(outcome) } });
      expect(trip.toStored(given, outcome).method).to.equal('hosted_page');
    });

    for (const [act, ...reported] of [
      ['pay', ...paidScenario],
      ['part', 'invoice.partial underpaid'],
      ['over', 'invoice.seen pending', 'invoice.processing pending', 'invoice.settled overpaid'],
      ['late', 'invoice.expired expired', 'invoice.settled late'],
      ['expire', 'invoice.expired expired'],
      ['invalid', 'invoice.seen pending', 'invoice.invalid failed'],
      ['cancel', 'invoice.cancelled cancelled'],
    ] as const) {
      it(`plays ${act} instead of the default action of the payer`, async () => {
        await slowly();
        const given = payment();
        const outcome = await trip.submit(given);
        const page = await sendRequest({ method: 'GET', url: urlOf(outcome) }, 2000);
        expect(page.body.toString()).to.contain(`<button type="submit" name="act" value="${act}">`);
        expect(page.body.toString()).to.contain(`action="${new URL(urlOf(outcome)).pathname}"`);
        const back = await press(outcome, act);
        const isLeft = ['pay', 'over', 'late'].includes(act);
        expect([back.status, Object.fromEntries(back.headers)['Location']]).to.deep.equal(
          isLeft ? [303, `${trip.provider.publicUrl}/pay/10042`] : [200, undefined],
        );
        // On a slow machine some reports came before the payer's action.
        const ends = (): readonly string[] => trip.reported().slice(-reported.length);
        await trip.until(() => ends().join() === reported.join());
        const count = trip.heard.length;
        // After two more delays, nothing new was reported about this invoice.
        await trip.submit(payment('25.62'));
        await trip.until(() => trip.heard.length === count + 2);
        expect(await fetched(given, outcome)).to.deep.equal([`${reported.at(-1)} 25.90`]);
      });
    }

    it('reports money after the expiry as late, and changes nothing that has ended', async () => {
      const given = payment('25.63');
      const outcome = await trip.submit(given);
      await hears('invoice.expired expired');
      await press(outcome, 'over');
      await hears('invoice.expired expired', 'invoice.settled late');
      await press(outcome, 'cancel');
      expect(await fetched(given, outcome)).to.deep.equal(['invoice.settled late 25.63']);
    });

    it('ignores an unknown action, and refuses an unknown invoice', async () => {
      const outcome = await trip.submit(payment('25.63'));
      await hears('invoice.expired expired');
      expect((await press(outcome, 'constructor')).status).to.equal(200);
      expect((await press({ outcome: 'unknown', providerReference: 'inv_0' }, 'pay')).status).to.equal(404);
    });
  });

  describe('refunds', () => {
    async function paid() {
      const given = payment();
      const outcome = await trip.submit(given);
      await hears(...paidScenario);
      const stored = trip.toStored(given, outcome);
      const ask = (number: number, sum: string, currency = 'EUR'): Promise<Outcome> =>
        coinServer.refund!(
          stored,
          { reference: `${given.reference}-R${number}`, money: { amount: sum, currency }, ...firstRefund },
          trip.provider,
        );
      const stateOf = async ({ providerReference }: Outcome): Promise<string> => {
        const report = await trip.fetchStatus(stored, providerReference);
        return report.result === 'events'
          ? `${report.events[0]!.providerStatus} ${report.events[0]!.amount}`
          : report.result;
      };
      return { ask, stateOf };
    }

    it('accepts a partial refund, reports it, and answers key and fetch with the current refund', async () => {
      const { ask, stateOf } = await paid();
      const first = await ask(1, '10');
      expect(first).to.include({ outcome: 'pending' });
      expect((await ask(1, '11')).outcome).to.equal('unknown');
      expect(await ask(2, '15.91')).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await ask(3, '10', 'USD')).to.include({ outcome: 'failed', nothingCharged: true });
      await hears(...paidScenario, 'refund.done succeeded');
      expect(eventsHeard()[3]).to.include({ amount: null, subReference: first.providerReference, mustFetch: true });
      expect(await stateOf(first)).to.equal('refund.done 10.00');
      expect(await ask(1, '10')).to.deep.equal({ ...first, outcome: 'succeeded' });
      expect(await ask(4, '15.9')).to.include({ outcome: 'pending' });
      expect(trip.statuses).to.deep.equal([201, 202, 409, 422, 422, 200, 200, 202]);
    });

    it('fails .58 and reverses .59, and allows another refund afterwards', async () => {
      const { ask, stateOf } = await paid();
      const failed = await ask(1, '10.58');
      await hears(...paidScenario, 'refund.failed failed');
      expect(await stateOf(failed)).to.equal('refund.failed 10.58');
      expect(await ask(1, '10.58')).to.include({ outcome: 'failed', nothingCharged: true });
      const reversed = await ask(2, '20.59');
      await hears(...paidScenario, 'refund.failed failed', 'refund.done succeeded', 'refund.reversed reversed');
      expect(await stateOf(reversed)).to.equal('refund.reversed 20.59');
      expect(await ask(3, '25.9')).to.include({ outcome: 'pending' });
    });

    it('refuses an unpaid invoice, and an unknown refund', async () => {
      const given = payment('25.63');
      const stored = trip.toStored(given, await trip.submit(given));
      const refund = { reference: `${given.reference}-R1`, money: given.money, ...firstRefund };
      const refused = await coinServer.refund!(stored, refund, trip.provider);
      expect(refused).to.include({ outcome: 'failed', nothingCharged: true });
      const none = { ...stored, providerReference: 'inv_0' };
      expect((await coinServer.refund!(none, refund, trip.provider)).outcome).to.equal('unknown');
      expect((await trip.fetchStatus(stored, 'rf_0')).result).to.equal('no_information');
    });
  });

  describe('an invalid request', () => {
    const reported = (reply: HttpReply): unknown => {
      const { code, items = [] } = bodyOf(reply);
      return [reply.status, code, ...(items as { path: string }[]).map(({ path }) => path)];
    };
    const send = (change: Readonly<Record<string, unknown>>, own: Partial<Options> = {}): Promise<HttpReply> => {
      const provider = { ...trip.provider, options: { ...options, ...own } };
      const message = { ...(invoiceMessage(payment(), provider) as object), ...change };
      return trip.provider.http.send(post(provider.options, 'invoices', `GW-${count}-1`, message));
    };

    for (const [name, change, path] of [
      ['no reference', { ref: '' }, 'ref'],
      ['a price that is a number', { price: 25.9 }, 'price'],
      ['a decimal too few', { price: '25.9' }, 'price'],
      ['a decimal too many', { price: '25.901' }, 'price'],
      ['no such unit', { unit: 'ZZZ' }, 'unit'],
      ['no time', { minutes: 0 }, 'minutes'],
      ['a time too long', { minutes: 1441 }, 'minutes'],
      ['no address for callbacks', { hook: 'callbacks' }, 'hook'],
      ['a buyer without country', { buyer: { name: '', mail: '' } }, 'buyer.country'],
    ] as const) {
      it(`refuses ${name}`, async () => expect(reported(await send(change))).to.deep.equal([400, 'validation', path]));
    }

    it('refuses a request without a key or without JSON', async () => {
      const request = post(options, 'invoices', 'GW-1-1', {});
      const { 'Idempotency-Key': _, ...headers } = request.headers!;
      const { http } = trip.provider;
      expect(reported(await http.send({ ...request, headers }))).to.deep.equal([400, 'validation', 'Idempotency-Key']);
      expect(reported(await http.send({ ...request, body: '{' }))).to.deep.equal([400, 'validation', '']);
    });

    it('refuses another token, and another store', async () => {
      const { http } = trip.provider;
      for (const [own, expected] of [
        [{ apiToken: 'tok_other' }, [401, 'unauthenticated']],
        [{ storeId: 'st_Other' }, [403, 'forbidden']],
      ] as const) {
        expect(reported(await send({}, own))).to.deep.equal(expected);
        for (const below of ['invoices/inv_0', 'invoices?ref=GW-1-1', 'refunds/rf_0']) {
          expect(reported(await http.send(get({ ...options, ...own }, below)))).to.deep.equal(expected);
        }
      }
    });
  });

  describe('callbacks on demand', () => {
    const about = { reference: 'GW-77-1', money: { amount: '25.9', currency: 'EUR' }, times: 1, forge: false };
    const events =
      createSandbox({
        options,
        providerSide: {},
        baseUrl: 'http://127.0.0.1:1',
        publicUrl: 'http://127.0.0.1:1',
        delayMs: 1,
      }).events ?? [];

    for (const [index, event] of events.entries()) {
      it(`sends ${event}, and reports it in fetches afterwards`, async () => {
        const reference = `GW-${7700 + index}-1`;
        const [reply] = await trip.trigger({ ...about, event, reference, providerReference: `inv_${index}` });
        expect([reply!.status, reply!.body.toString()]).to.deep.equal([200, '{"ok":true}']);
        const [heard] = eventsHeard();
        if (event === 'hook.test') {
          expect(trip.heard[0]).to.deep.include({ outcome: 'ignored', events: [] });
          return;
        }
        expect(heard).to.include({ providerStatus: event.split(' ')[0], reference, providerReference: `inv_${index}` });
        expect(heard!.status).to.not.equal('unknown');
        const stored = trip.toStored(
          { ...submission, reference },
          { outcome: 'unknown', providerReference: `inv_${index}` },
        );
        const report = await trip.fetchStatus(stored, heard!.subReference);
        const [fact] = report.result === 'events' ? report.events : [];
        expect(fact).to.include({ amount: '25.90', currency: 'EUR' });
        expect(coinServer.mapStatus(fact!, 'fetch')).to.equal(heard!.status);
      });
    }

    it('reports a known invoice, repeats as redeliveries, and silences its scenario', async () => {
      await slowly();
      const given = payment();
      const outcome = await trip.submit(given);
      const { reference } = given;
      await trip.trigger({ ...about, event: 'invoice.cancelled', reference, providerReference: null, times: 2 });
      expect(eventsHeard().map(({ dedupeKey, providerReference }) => [dedupeKey, providerReference])).to.deep.equal(
        [1, 2].map(() => [eventsHeard()[0]!.dedupeKey, outcome.providerReference]),
      );
      await trip.submit(payment('25.62'));
      await trip.until(() => trip.heard.length === 4);
      expect(await fetched(given, outcome)).to.deep.equal(['invoice.cancelled cancelled 25.90']);
    });

    it('changes the price if another is reported, and nothing if it forges', async () => {
      const given = payment('25.63');
      const outcome = await trip.submit(given);
      await hears('invoice.expired expired');
      const wrong = { ...about, event: 'invoice.settled', reference: given.reference, providerReference: null };
      const [reply] = await trip.trigger({ ...wrong, forge: true });
      expect([reply!.status, reply!.body.toString()]).to.deep.equal([401, '{"ok":false}']);
      expect(await fetched(given, outcome)).to.deep.equal(['invoice.expired expired 25.63']);
      await trip.trigger({ ...wrong, reference: 'GW-7799-1', forge: true });
      expect(await fetched({ ...given, reference: 'GW-7799-1' }, { outcome: 'unknown' })).to.deep.equal([
        'nothing_charged',
      ]);
      await trip.trigger({ ...wrong, money: { amount: '1', currency: 'EUR' } });
      expect(await fetched(given, outcome)).to.deep.equal(['invoice.settled succeeded 1.00']);
    });

    it('refuses an unknown event', async () => {
      const wrong = { ...about, event: 'invoice.paid', providerReference: null };
      expect(await trip.trigger(wrong).catch((error: unknown) => error)).to.be.instanceOf(RangeError);
    });
  });
});
