import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createMetrics, presentMetrics, type Metrics } from '../../../core/base/metrics/index.ts';
import { readPage, valueIn } from '../../../core/base/metrics/testing/read-page.ts';
import { createMetricsScrapes, type MetricsScrapes } from './metrics-scrapes.ts';

/** Long enough that a process that answers is never left out because this machine is slow. */
const patientMs = 60_000;

interface Double {
  readonly name: string;
  isUp: boolean;
  readonly metrics: Metrics;
  send(message: { readonly scrape: number }): void;
}

describe('createMetricsScrapes', () => {
  const processes: Double[] = [];
  /** Names of those that do not answer. */
  const hanging = new Set<string>();
  let scrapes: MetricsScrapes;

  function begin(names: readonly string[], limitMs = patientMs): void {
    hanging.clear();
    const doubles = names.map((name): Double => {
      const metrics = createMetrics();
      const send = ({ scrape }: { readonly scrape: number }): void => {
        if (!hanging.has(name)) void metrics.snapshot().then((text) => scrapes.receive(name, text, scrape));
      };
      return { name, isUp: true, metrics, send };
    });
    processes.splice(0, processes.length, ...doubles);
    scrapes = createMetricsScrapes({ processes: () => processes, metrics: createMetrics(), limitMs });
  }
  const count = (at: number, callbacks: number): void =>
    processes[at]!.metrics.callbacks.inc(
      { provider: 'one', account: 'main', mode: 'live', outcome: 'accepted' },
      callbacks,
    );
  const end = (at: number): void => {
    const [{ name }] = processes.splice(at, 1) as [Double];
    scrapes.ended(name);
  };
  const read = async (name: string): Promise<number | undefined> => {
    const { present, past } = await scrapes.gather();
    return valueIn(readPage((await presentMetrics(present, past)).text), name);
  };
  const callbacks = async () => read('gateway_callbacks_total');

  it('gathers the counters of all processes and of the supervisor', async () => {
    begin(['api-1', 'worker-1']);
    count(0, 3);
    count(1, 4);
    expect(await callbacks()).to.equal(7);
    expect(await scrapes.gather())
      .to.deep.include({ past: [] })
      .and.have.property('present')
      .with.length(3);
  });

  it('keeps the counters of every process that ended', async () => {
    begin(['a', 'b', 'c', 'd']);
    for (const at of [0, 1, 2, 3]) count(at, 10 ** at);
    expect(await callbacks()).to.equal(1111);
    end(0);
    expect(await callbacks()).to.equal(1111);
    end(0);
    end(0);
    expect((await scrapes.gather()).past).to.have.length(1);
    expect(await callbacks()).to.equal(1111);
    count(0, 1);
    expect(await callbacks()).to.equal(1112);
  });

  it('does not wait for a process that does not answer, reports it, and keeps its counters', async () => {
    begin(['a', 'b'], 200);
    count(0, 5);
    count(1, 6);
    expect(await callbacks()).to.equal(11);
    hanging.add('b');
    count(0, 1);
    expect(await callbacks()).to.equal(12);
    expect(await read('gateway_processes_silent')).to.equal(1);
  });

  it('stops waiting for a process that ends during the scrape, and skips one that is not up', async () => {
    begin(['a', 'b', 'c']);
    for (const name of ['b', 'c']) hanging.add(name);
    processes[2]!.isUp = false;
    const gathering = read('gateway_processes_silent');
    end(1);
    expect(await gathering).to.equal(0);
  });

  it('adds the counters of the listener only after the listener has ended', async () => {
    begin(['a']);
    const listener = createMetrics();
    listener.httpProblems.inc({ code: 'AUTH001' }, 2);
    scrapes.receive('ops', await listener.snapshot());
    const problems = async () => read('gateway_http_problems_total');
    expect(await problems()).to.equal(undefined);
    scrapes.ended('ops');
    expect(await problems()).to.equal(2);
  });
});
