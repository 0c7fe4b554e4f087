import { expect } from 'chai';
import { describe, it } from 'mocha';
import { mongo } from 'mongoose';
import { countedAtMost } from '../../database/backlog.ts';
import { table } from '../../html/components/table.ts';
import { MINUTE } from '../../base/async/time.ts';
import { textOf } from '../../html/components/table.ts';
import type { ConsoleDeps } from '../deps.ts';
import { overviewPage } from './overview.ts';

type Reads = Pick<
  ConsoleDeps,
  'adapterStates' | 'alarms' | 'attemptsOpen' | 'backlog' | 'hosts' | 'owners' | 'traffic'
>;

/** Dependencies of an idle gateway, except for the given reads. */
function depsOf(reads: { readonly [Name in keyof Reads]?: Partial<Reads[Name]> }): ConsoleDeps {
  const own: { readonly [Name in keyof Reads]: Partial<Reads[Name]> } = {
    adapterStates: { read: async () => ({ version: 1, states: { 'provider-a': 'on' } }), running: async () => [] },
    alarms: { list: async () => [] },
    attemptsOpen: async () => [],
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

const show = async (deps: ConsoleDeps): Promise<string> => String(await overviewPage(deps, (_, shown) => table(shown)));

/** The text of one part of the page. */
function textOfPart(page: string, name: string): string {
  const [, part = ''] = page.split(`<div id="live-${name}"`);
  return textOf(page === '' ? '' : part.split('<div id="live-')[0]!.replace(/<[^>]*>/g, ' '));
}

describe('overviewPage', () => {
  it('shows the other parts when one cannot be read in time, and names that part', async () => {
    const page = await show(depsOf({ backlog: async () => new Promise<never>(() => undefined) }));
    expect(textOfPart(page, 'queues')).to.contain(
      'Queues could not be read within 2 s: the database is slow or unavailable.',
    );
    expect(page.match(/could not be read/g)).to.have.lengthOf(1);
    expect(textOfPart(page, 'alarms')).to.contain('No unresolved alarms. All processes respond.');
    expect(textOfPart(page, 'traffic')).to.contain('0 in the last full minute');
    expect(textOfPart(page, 'processes')).to.contain('The adapter states are at version 1.');
  });

  it('reports immediately that the database gave up or is unavailable', async () => {
    const refuse = async (): Promise<never> => {
      throw new mongo.MongoServerError({ message: 'operation exceeded time limit', code: 50 });
    };
    const page = await show(
      depsOf({ alarms: { list: refuse }, traffic: refuse, attemptsOpen: refuse, backlog: refuse, hosts: refuse }),
    );
    for (const title of ['Alarms', 'Traffic', 'Providers', 'Queues', 'Queues over time', 'Hosts', 'Processes'])
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

  it('announces unresolved alarms to screen readers', async () => {
    const [_id, reason] = ['status_unknown:adapter:provider-a', 'payment status on_hold'];
    const alarm = {
      _id,
      kind: 'status_unknown',
      subject: { type: 'adapter', id: 'provider-a' },
      reason,
      state: 'open',
      count: 1,
      firstSeenAt: new Date(0),
      lastSeenAt: new Date(0),
    };
    const page = await show(depsOf({ alarms: { list: async () => [alarm as never] } }));
    expect(page).to.match(
      /<div data-announce>\s*<p class="unseen">\s*1 unresolved alarm\.\s+The latest alarm: payment/,
    );
  });
});
