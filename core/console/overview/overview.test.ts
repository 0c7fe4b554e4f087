import { expect } from 'chai';
import { describe, it } from 'mocha';
import { mongo } from 'mongoose';
import { countedAtMost } from '../../database/backlog.ts';
import { table } from '../../html/components/table.ts';
import { MINUTE } from '../../base/async/time.ts';
import { textOf } from '../../html/components/table.ts';
import type { ConsoleDeps } from '../deps.ts';
import { overviewPage } from './overview.ts';

/** A Friday. */
const now = new Date('2026-11-27T10:20:00Z');

type Reads = Pick<
  ConsoleDeps,
  | 'adapters'
  | 'adapterStates'
  | 'alarms'
  | 'attemptsOpen'
  | 'attention'
  | 'backlog'
  | 'failingEndpoints'
  | 'hosts'
  | 'now'
  | 'owners'
  | 'traffic'
  | 'volumes'
>;

/** Dependencies of an idle gateway, except for the given reads. */
function depsOf(reads: { readonly [Name in keyof Reads]?: Partial<Reads[Name]> }): ConsoleDeps {
  const own: { readonly [Name in keyof Reads]: Partial<Reads[Name]> } = {
    adapters: { title: (name) => (name === 'provider-a' ? 'Provider A' : name) },
    adapterStates: { read: async () => ({ version: 1, states: { 'provider-a': 'on' } }), running: async () => [] },
    alarms: { find: async () => [] },
    attemptsOpen: async () => [],
    attention: async () => [],
    failingEndpoints: async () => [],
    now: () => now,
    volumes: async () => ({ slots: [], countedTo: now }),
    backlog: async () => ({ queues: [], paymentsCreated: 0, deadLetters: [] }),
    hosts: async () => [],
    owners: {},
    traffic: async () => {
      const minutes = Array.from({ length: 60 }, (_, minute) => ({ at: new Date(minute * MINUTE), counts: {} }));
      return { minutes, lastCallbacks: {} };
    },
    ...reads,
  };
  return own as unknown as ConsoleDeps;
}

const show = async (deps: ConsoleDeps): Promise<string> =>
  String(await overviewPage(deps, { query: {}, table: (_, shown) => table(shown) }));

/** The text of one part of the page. */
function textOfPart(page: string, name: string): string {
  const [, part = ''] = page.split(`<div id="live-${name}"`);
  return textOf(page === '' ? '' : part.split('<div id="live-')[0]!.replace(/<[^>]*>/g, ' '));
}

describe('overviewPage', () => {
  it('shows the other parts when one cannot be read in time, and names that part', async () => {
    const page = await show(depsOf({ attemptsOpen: async () => new Promise<never>(() => undefined) }));
    expect(textOfPart(page, 'providers')).to.contain(
      'Providers could not be read within 2 s: the database is slow or unavailable.',
    );
    expect(textOfPart(page, 'alarms')).to.contain('All right.');
    expect(page.match(/could not be read/g)).to.have.lengthOf(1);
    expect(textOfPart(page, 'volume')).to.contain(
      'Today, Friday: no test payment succeeded or failed, and none last Friday until ',
    );
    expect(textOfPart(page, 'traffic')).to.contain('No callbacks, submissions or deliveries in the last hour.');
    expect(textOfPart(page, 'processes')).to.contain('The adapter states are at version 1.');
  });

  it('reports immediately that the database gave up or is unavailable', async () => {
    const refuse = async (): Promise<never> => {
      throw new mongo.MongoServerError({ message: 'operation exceeded time limit', code: 50 });
    };
    const page = await show(
      depsOf({
        alarms: { find: refuse },
        traffic: refuse,
        attemptsOpen: refuse,
        backlog: refuse,
        hosts: refuse,
        volumes: refuse,
      }),
    );
    for (const title of [
      'Needs attention',
      'Payments',
      'Throughput',
      'Providers',
      'Queues',
      'Queues over time',
      'Hosts',
      'Processes',
    ])
      expect(page).to.contain(`${title} could not be read`);
    const mistake = new TypeError('a mistake of ours');
    const failing = depsOf({ backlog: async () => Promise.reject(mistake) });
    expect(await show(failing).catch((error: unknown) => error)).to.equal(mistake);
  });

  it('shows a count that reached its maximum as "or more"', async () => {
    const queues = [
      { queue: 'inbox', pending: countedAtMost, due: countedAtMost - 1, oldestDueSeconds: 0 },
      { queue: 'pings', pending: 0, due: 0, oldestDueSeconds: 0 },
    ];
    // These two share one maximum, so neither count is complete.
    const deadLetters = [
      { provider: 'a', outcome: 'dead_letter', count: countedAtMost - 7 },
      { provider: 'b', outcome: 'malformed', count: 7 },
    ];
    const page = await show(
      depsOf({
        backlog: async () => ({ queues, paymentsCreated: countedAtMost, deadLetters }),
        attemptsOpen: async () => [{ provider: 'provider-a', count: countedAtMost }],
      }),
    );
    const text = textOfPart(page, 'queues');
    expect(text)
      .to.match(/inbox 10,000 or more 9999 /)
      .and.to.match(/pings 0 0 /);
    expect(text)
      .to.match(/without an attempt 10,000 or more/)
      .and.to.match(/of a: dead letter 9,993 or more/)
      .and.to.match(/of b: malformed 7 or more/);
    expect(textOfPart(page, 'providers')).to.contain('10,000 or more');
  });

  const alarmOf = (kind: string, id: string, more: object = {}): never => {
    const subject = { type: 'payment', id };
    const times = { firstSeenAt: new Date(0), lastSeenAt: new Date(0) };
    return {
      _id: `${kind}:payment:${id}`,
      kind,
      subject,
      reason: 'why',
      state: 'open',
      count: 1,
      ...times,
      ...more,
    } as never;
  };

  it('says in one sentence what needs an operator, and lists the most urgent first', async () => {
    const money = { amount: '59.00', currency: 'EUR' };
    const endpoint = { ownerId: 7, environment: 'live' } as const;
    const page = await show(
      depsOf({
        alarms: {
          find: async () => [
            alarmOf('refund_failed', '1', { money: { amount: '900', currency: 'EUR' } }),
            alarmOf('charged_twice', '2', { money, ownerId: 7 }),
            alarmOf('status_unknown', '3', { state: 'acknowledged' }),
          ],
        },
        owners: { get: async () => ({ name: 'Ribeira Books' }) as never },
        attention: async () => [
          {
            what: 'refund_unanswered',
            paymentId: 4,
            ownerId: 7,
            environment: 'live',
            money,
            adapter: 'provider-a',
            reference: 'GW-4-1-R1',
            since: new Date(0),
          },
          // An alarm says more about this payment.
          { what: 'pending_long', paymentId: 1, adapter: null, reference: null, since: new Date(0) },
        ],
        failingEndpoints: async () => [
          { ...endpoint, origin: 'https://shop.example', receiver: 'shop.example', failingSince: new Date(0) },
        ],
      }),
    );
    const text = textOfPart(page, 'alarms');
    expect(text).to.contain('4 things need you. First: Customer charged twice (payment 2)');
    expect(text).to.contain('1 alarm is being handled');
    const rows = [
      'critical Customer charged twice why payment 2 Ribeira Books €59.00',
      'warning Refund failed why payment 1 €900.00',
      'warning Refund not confirmed by the provider GW-4-1-R1 at Provider A payment 4 Ribeira Books €59.00',
      'warning Webhook endpoint failing No delivery has succeeded since then. shop.example Ribeira Books –',
    ];
    const places = rows.map((row) => text.indexOf(row));
    expect(places, text).to.deep.equal(places.toSorted((one, other) => one - other));
    expect(places).to.not.include(-1);
    expect(page)
      .to.contain('href="/ops/payments/4"')
      .and.to.contain(`href="/ops/alarms/${encodeURIComponent('charged_twice:payment:2')}"`);
    expect(page.match(/data-announce/g)).to.have.lengthOf(1);
  });

  it('lists what has a deadline before the rest of its severity, the soonest first', async () => {
    const dispute = (paymentId: number, deadline: Date | null): object => ({
      what: 'dispute_open',
      paymentId,
      ownerId: 7,
      environment: 'live',
      money: { amount: `${paymentId}00`, currency: 'EUR' },
      adapter: 'provider-a',
      reference: `CASE-${paymentId}`,
      since: new Date(0),
      deadline,
    });
    const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
    const found = [dispute(9, null), dispute(3, at(20)), dispute(2, at(12))];
    const page = await show(depsOf({ attention: async () => found as never, owners: { get: async () => undefined } }));
    const text = textOfPart(page, 'alarms');
    const cases = [...text.matchAll(/CASE-\d/g)].map(([one]) => one);
    expect(cases, text).to.deep.equal(['CASE-2', 'CASE-3', 'CASE-9']);
    expect(text).to.match(/answer by 2026-01-12/);
    expect(page).to.contain('href="/ops/payments/2"');
  });

  it('shows many things of one kind as one row, with the money of each currency', async () => {
    const money = (currency: string): object => ({ money: { amount: '10', currency } });
    const all = ['1', '2', '3', '4'].map((id) => alarmOf('refund_failed', id, money(id === '4' ? 'JPY' : 'EUR')));
    const page = await show(depsOf({ alarms: { find: async () => all } }));
    const text = textOfPart(page, 'alarms');
    expect(text).to.contain('4 things need you. First: Refund failed (4 of them)');
    expect(text).to.contain('Refund failed 4 of them €30.00 ¥10');
    expect(page).to.contain('href="/ops/alarms?kind=refund_failed"');
  });

  it('names a provider whose calls fail, unless an alarm does', async () => {
    const counts = { 'results|provider-a|refused': 9, 'results|provider-a|failed': 1, 'calls|provider-a|4xx': 10 };
    const traffic = async () => ({ minutes: [{ at: now, counts }], lastCallbacks: {} });
    const text = textOfPart(await show(depsOf({ traffic })), 'alarms');
    expect(text).to.contain('critical Provider fails 100 % of its calls failed in the last hour Provider A');
    const alarm = alarmOf('provider_misconfigured', '', { subject: { type: 'adapter', id: 'provider-a' } });
    const page = await show(depsOf({ traffic, alarms: { find: async () => [alarm] } }));
    expect(textOfPart(page, 'alarms')).to.not.contain('Provider fails');
    expect(textOfPart(page, 'providers')).to.contain('100.0 %');
  });

  it('compares volume and success with the same time of the week before, by provider and currency', async () => {
    const row = { environment: 'test', adapter: 'provider-a', currency: 'EUR', succeeded: 1, failed: 0 } as const;
    const slot = (at: string, ...rows: object[]) => ({ at: new Date(at), rows: rows as never });
    const volumes = async () => ({
      countedTo: now,
      slots: [
        slot('2026-11-20T09:00:00Z', { ...row, succeeded: 2, amount: '20' }),
        slot('2026-11-20T11:00:00Z', { ...row, amount: '7000' }),
        slot('2026-11-27T00:00:00Z', { ...row, amount: '0.10' }, { ...row, environment: 'live', amount: '8000' }),
        slot(
          '2026-11-27T10:10:00Z',
          { ...row, amount: '0.20', failed: 2, declined: 1 },
          { ...row, currency: 'JPY', amount: '500' },
        ),
      ],
    });
    const page = await show(depsOf({ volumes }));
    const text = textOfPart(page, 'volume');
    expect(text).to.contain('Volume in EUR €0.30 €20.00 last Friday until 10:20 UTC');
    expect(text).to.contain('Volume in JPY ¥500 ¥0 last Friday');
    expect(text).to.contain('Approved by banks 75.0 % 100.0 % last Friday');
    expect(text).to.contain('Technical failures 1 0 last Friday');
    expect(text).to.contain('Provider A €0.30 ¥500 €20.00 3 1 1 75.0 % 100.0 %');
    expect(text).to.not.contain('8,000').and.not.contain('7,000');
    expect(page).to.contain('href="/ops?span=week"').and.to.contain('href="/ops?mode=live"');
  });

  it('leaves out the columns of the week before if nothing was decided then', async () => {
    const row = { environment: 'test', adapter: 'provider-a', currency: 'EUR', succeeded: 1, failed: 0 } as const;
    const slots = [{ at: new Date('2026-11-27T10:10:00Z'), rows: [{ ...row, amount: '5' }] }];
    const text = textOfPart(await show(depsOf({ volumes: async () => ({ countedTo: now, slots }) })), 'volume');
    expect(text).to.contain('Provider Volume Paid Declined Technical failures Approved Provider A €5.00 1 0 0 100.0 %');
    expect(text).to.contain('Approved by banks 100.0 % 0 declined');
  });

  it('says why no provider can take a payment', async () => {
    const about = {
      paymentId: 5,
      ownerId: 7,
      environment: 'test',
      adapter: null,
      reference: null,
      since: now,
    } as const;
    const reason = 'BTC is a currency that no route accepts now';
    const attention = async () => [{ what: 'no_route', ...about, reason } as const];
    const text = textOfPart(await show(depsOf({ attention, owners: { get: async () => undefined } })), 'alarms');
    expect(text).to.contain(`warning No provider can take the payment ${reason} payment 5`);
  });
});
