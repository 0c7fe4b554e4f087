import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createMetrics, mergePast, metricList, presentMetrics, type MetricDefinition } from './index.ts';
import { readPage, valueIn, valueOf } from './testing/read-page.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const list: readonly MetricDefinition[] = Object.values(metricList);

describe('metricList', () => {
  it('names each metric once: counters end in _total, times in _seconds', () => {
    expect(new Set(list.map(({ name }) => name)).size).to.equal(list.length);
    const endings = {
      counter: /^gateway_[a-z_]+_total$/,
      histogram: /^gateway_[a-z_]+_seconds$/,
      gauge: /^gateway_[a-z_]+$/,
    };
    for (const { name, type } of list) {
      expect(name).to.match(endings[type]);
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
    }
  });

  it('matches the table of the README', async () => {
    const readme = await readFile(join(root, 'core/base/metrics/README.md'), 'utf8');
    const rows = readme
      .split('\n')
      .filter((line) => line.startsWith('| `gateway_'))
      .map((line) => line.replaceAll(/ +\|/g, ' |'));
    const shown = list.map(({ name, type, labels, help }) => {
      const names = labels.map((label) => `\`${label}\``).join(', ') || '–';
      return `| \`${name}\` | ${type} | ${names} | ${help} |`;
    });
    expect(rows).to.deep.equal(shown);
  });
});

describe('metricList labels with listed values', () => {
  it('explains every value in the help text of its metric', () => {
    for (const { name, help, values = {}, labels } of list) {
      for (const [label, all] of Object.entries(values)) {
        expect(labels, name).to.include(label);
        if (label === 'outcome' || label === 'queue') for (const value of all) expect(help, name).to.include(value);
      }
    }
  });
});

describe('createMetrics', () => {
  it('starts counters at 0 for every known label, and keeps counted values', async () => {
    const metrics = createMetrics();
    metrics.submissions.inc({ provider: 'one', account: 'main', mode: 'live', outcome: 'failed' }, 2);
    metrics.startAtZero({ provider: ['one', 'two'], job: ['reconcile'], kind: ['charged_twice'], code: ['SYS001'] });
    const page = readPage((await presentMetrics([await metrics.snapshot()], [])).text);
    const valueOn = (name: string, labels = {}): number | undefined => valueIn(page, `gateway_${name}`, labels);
    expect(valueOn('submissions_total', { provider: 'one', mode: 'live', outcome: 'failed' })).to.equal(2);
    expect(valueOn('submissions_total', { provider: 'two', mode: 'test', outcome: 'not_sent' })).to.equal(0);
    expect(page.filter(({ name }) => name === 'gateway_submissions_total')).to.have.length(2 * 2 * 5);
    // Its own list of kinds, not the kinds of alarms.
    expect(valueOn('unknown_statuses_total', { provider: 'one', kind: 'decline' })).to.equal(0);
    expect(valueOn('unknown_statuses_total', { kind: 'charged_twice' })).to.equal(undefined);
    const counters = list.filter(
      ({ type, labels }) => type === 'counter' && !labels.includes('role') && !labels.includes('lack'),
    );
    for (const { name } of counters) expect(valueIn(page, name), name).to.be.a('number');
    // Adapters choose the texts of `lack`. The supervisor, which runs the processes, knows the roles.
    expect(valueOn('processes_ended_total')).to.equal(undefined);
  });

  it('shows counted values by their labels', async () => {
    const metrics = createMetrics();
    metrics.submissions.inc({ provider: 'one', account: 'main', mode: 'live', outcome: 'succeeded' });
    metrics.submissions.inc({ provider: 'one', account: 'main', mode: 'live', outcome: 'failed' }, 2);
    metrics.jobSeconds.observe({ job: 'reconcile' }, 0.3);
    const read = async (name: string, labels: Record<string, string>) => valueOf(metrics, name, labels);
    expect(await read('gateway_submissions_total', { provider: 'one', outcome: 'failed' })).to.equal(2);
    expect(await read('gateway_submissions_total', { provider: 'one' })).to.equal(3);
    expect(await read('gateway_submissions_total', { provider: 'two' })).to.equal(undefined);
    expect(await read('gateway_job_seconds_bucket', { job: 'reconcile', le: '0.25' })).to.equal(0);
    expect(await read('gateway_job_seconds_bucket', { job: 'reconcile', le: '0.5' })).to.equal(1);
  });

  it('names the first 100 accounts, and counts all others as one', () => {
    const { accountLabel, nameAccounts } = createMetrics();
    expect(accountLabel('one', 'shop-1')).to.equal('other');
    nameAccounts(Array.from({ length: 101 }, (_, at) => `one/shop-${at}`));
    expect(accountLabel('one', 'shop-99')).to.equal('shop-99');
    expect(accountLabel('one', 'shop-100')).to.equal('other');
    expect(accountLabel('two', 'shop-1')).to.equal('other');
    expect([accountLabel('two', 'main'), accountLabel('two', undefined)]).to.deep.equal(['main', 'main']);
  });

  it('shows the maximum depth of a batcher since the last snapshot', async () => {
    const metrics = createMetrics();
    const onWaiting = metrics.depthOf('inbox');
    for (const depth of [1, 7, 2]) onWaiting(depth);
    const read = async () => valueOf(metrics, 'gateway_write_lane_depth', { lane: 'inbox' });
    expect(await read()).to.equal(7);
    expect(await read()).to.equal(0);
  });

  it('shows memory, CPU and event loop with the process name, if it has one', async () => {
    const { text } = await presentMetrics([await createMetrics({ process: 'worker-2' }).snapshot()], []);
    const page = readPage(text);
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect(valueIn(page, `gateway_${name}`, { process: 'worker-2' }), name).to.be.a('number');
    const unnamed = readPage((await presentMetrics([await createMetrics().snapshot()], [])).text);
    expect(unnamed.filter(({ name }) => /process_|nodejs_/.test(name))).to.deep.equal([]);
  });
});

describe('presentMetrics', () => {
  const counting = async (callbacks: number, depth: number, process?: string): Promise<string> => {
    const metrics = createMetrics(process === undefined ? {} : { process });
    metrics.callbacks.inc({ provider: 'one', account: 'main', mode: 'live', outcome: 'accepted' }, callbacks);
    metrics.callbackAckSeconds.observe({ provider: 'one' }, 0.01);
    metrics.depthOf('inbox')(depth);
    metrics.breakersOpen.set({ provider: 'one', account: 'main', mode: 'live' }, 1);
    return metrics.snapshot();
  };
  const read = async (present: readonly string[], past: readonly string[]) => {
    const page = readPage((await presentMetrics(present, past)).text);
    return (name: string, labels = {}): number | undefined => valueIn(page, `gateway_${name}`, labels);
  };

  it('combines the processes of a host: sums, and the maximum of depths', async () => {
    const valueOn = await read([await counting(3, 5), await counting(4, 2)], []);
    expect(valueOn('callbacks_total')).to.equal(7);
    expect(valueOn('callback_ack_seconds_count')).to.equal(2);
    expect(valueOn('write_lane_depth')).to.equal(5);
    expect(valueOn('breakers_open')).to.equal(2);
  });

  it('keeps the counters of ended processes, and drops their gauges', async () => {
    const ended = await mergePast([await counting(100, 50), await mergePast([await counting(10, 50)])]);
    const valueOn = await read([await counting(1, 2)], [ended]);
    expect(valueOn('callbacks_total')).to.equal(111);
    expect(valueOn('callback_ack_seconds_bucket', { le: '+Inf' })).to.equal(3);
    expect(valueOn('write_lane_depth')).to.equal(2);
    expect(valueOn('breakers_open')).to.equal(1);
  });

  it('continues the series of a replaced process', async () => {
    const [before, after] = [await counting(1, 0, 'api-1'), await counting(1, 0, 'api-1')];
    const cpu = async (...all: Parameters<typeof read>) =>
      (await read(...all))('process_cpu_seconds_total', { process: 'api-1' }) ?? 0;
    const [first, second] = [await cpu([before], []), await cpu([after], [])];
    expect(await cpu([after], [await mergePast([before])])).to.be.closeTo(first + second, 1e-6);
    expect(
      (await read([after, await counting(1, 0, 'api-2')], []))('nodejs_heap_size_used_bytes', { process: 'api-2' }),
    ).to.be.a('number');
  });
});
