/** Scrapes a host whose processes die, are suspended and are replaced. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import mongoose, { type Connection } from 'mongoose';
import { parse } from 'yaml';
import { alarmModel, type Alarm } from '../../../core/database/collections/alarm.ts';
import { hostModel, type HostProcess } from '../../../core/database/collections/host.ts';
import { evaluatePromql } from '../../../core/base/metrics/testing/evaluate-promql.ts';
import { readPage, valueIn, type Series } from '../../../core/base/metrics/testing/read-page.ts';
import { until } from '../../../core/base/testing/until.ts';
import { chooseFreePort } from '../dev/mongod/index.ts';
import { seriesOf } from './process-names.ts';
import { testDatabase } from '../testing/database.ts';
import { endAll, runGateway, runningState, untilReady, type RunningGateway } from '../testing/running-gateway.ts';

describe('the metrics of a host', function () {
  this.timeout(300_000);
  let data: string;
  let uri: string;
  let gateway: RunningGateway;
  let opsUrl: string;
  let connection: Connection;

  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'gateway-test-'));
    uri = testDatabase('metrics');
    const env = { PORT: `${await chooseFreePort()}`, MONGODB_URI: uri, API_PROCESSES: '2' };
    gateway = runGateway(['start'], data, env);
    connection = await mongoose.createConnection(uri).asPromise();
    await untilReady(gateway);
    opsUrl = (await runningState(data)).opsUrl ?? '';
  });
  after(async () => {
    endAll();
    await gateway.ended;
    await rm(data, { recursive: true, force: true });
    await connection.dropDatabase();
    await connection.close();
  });

  const scrape = async (): Promise<Series[]> => {
    const response = await fetch(`${opsUrl}/metrics`);
    expect(response.status).to.equal(200);
    return readPage(await response.text());
  };
  const read = async (name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> =>
    valueIn(await scrape(), `gateway_${name}`, labels);
  const processOf = async (role: string): Promise<{ readonly name: string; readonly pid: number }> => {
    const found = (await runningState(data)).children.find(({ name }) => name.startsWith(role));
    if (!found) throw new Error(`no ${role} runs`);
    return found;
  };
  /** By its place. */
  const statusOf = async (title: string): Promise<HostProcess | undefined> =>
    (await hostModel(connection).findOne().lean())?.processStates?.find((one) => one.title === title);
  const alarmsOf = async (): Promise<Alarm[]> => alarmModel(connection).find({ kind: 'process_failed' }).lean();
  /** Pays with the line that the start prints. */
  const pay = async (): Promise<void> => {
    const [, path = '', body = ''] = /^curl -sS (\S+) .* -d '(.*)'$/m.exec(gateway.out()) ?? [];
    const key = /^KEY=(\S+)$/m.exec(gateway.out())?.[1] ?? '';
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    expect((await fetch(path, { method: 'POST', headers, body })).status).to.equal(200);
  };
  let rules: readonly { readonly alert: string; readonly expr: string }[];
  before(async () => {
    const text = await readFile('config/deploy/prometheus/alerts.yaml', 'utf8');
    const { groups } = parse(text) as { groups: { rules: typeof rules }[] };
    rules = groups.flatMap((group) => group.rules);
  });
  const submitted = { provider: 'provider-a', mode: 'test', outcome: 'succeeded' };

  it('shows the metrics of all processes, at an address that the start prints', async () => {
    expect(gateway.out()).to.include(`Metrics: ${opsUrl}/metrics`).and.to.include(`${opsUrl}/ops`);
    for (let times = 0; times < 4; times += 1) await pay();
    expect(await read('submissions_total', submitted)).to.equal(4);
    await until('jobs ran', async () => ((await read('job_runs_total', { job: 'drain-callbacks' })) ?? 0) > 0);
    const page = await scrape();
    const expected = { api: 2, worker: 1, ops: 1 };
    for (const [role, count] of Object.entries(expected))
      expect(valueIn(page, 'gateway_processes_up', { role }), role).to.equal(count);
    for (const process of ['api-1', 'api-2', 'worker-1', 'ops', 'supervisor'])
      expect(valueIn(page, 'gateway_nodejs_eventloop_lag_p99_seconds', { process }), process).to.be.a('number');
    expect(valueIn(page, 'gateway_database_up')).to.equal(1);
    expect(valueIn(page, 'gateway_backlog_read')).to.equal(1);
    expect(valueIn(page, 'gateway_hosts_up')).to.equal(1);
    expect(valueIn(page, 'gateway_queue_due', { queue: 'inbox' })).to.be.a('number');
    expect(valueIn(page, 'gateway_processes_silent')).to.equal(0);
  });

  it('starts every series at 0, so that the first event is an increase', async () => {
    const page = await scrape();
    for (const outcome of ['succeeded', 'failed', 'pending', 'unknown', 'not_sent'])
      expect(valueIn(page, 'gateway_submissions_total', { provider: 'provider-b', mode: 'live', outcome })).to.equal(0);
    expect(valueIn(page, 'gateway_alarms_raised_total', { kind: 'charged_twice' })).to.equal(0);
    expect(valueIn(page, 'gateway_job_runs_total', { job: 'purge-expired', outcome: 'failed' })).to.equal(0);
    expect(valueIn(page, 'gateway_http_problems_total', { code: 'SYS001' })).to.equal(0);
  });

  it('has no labels that name a merchant or a payment', async () => {
    const labels = new Set((await scrape()).flatMap(({ labels }) => Object.keys(labels)));
    const known = [
      'provider',
      'account',
      'outcome',
      'mode',
      'call',
      'code',
      'job',
      'kind',
      'lane',
      'queue',
      'role',
      'process',
      'le',
    ];
    const ofNode = ['version', 'major', 'minor', 'patch', 'space', 'type'];
    expect([...labels].filter((label) => !known.includes(label) && !ofNode.includes(label))).to.deep.equal([]);
  });

  it('keeps counters when a process dies, and continues them in its replacement', async () => {
    const before = (await read('submissions_total', submitted))!;
    for (const role of ['api', 'ops']) {
      const dying = await processOf(role);
      process.kill(dying.pid, 'SIGKILL');
      await until('it is replaced', async () => {
        const { children } = await runningState(data);
        return children.some(({ name }) => name.startsWith(role)) && !children.some(({ name }) => name === dying.name);
      });
      await until('the listener answers', async () =>
        fetch(`${opsUrl}/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      expect(await read('submissions_total', submitted), role).to.equal(before);
      expect(await read('processes_ended_total', { role }), role).to.equal(1);
      const alarm = await until('an alarm is raised', async () =>
        (await alarmsOf()).find(({ reason }) => reason.includes(dying.name)),
      );
      expect(alarm.subject).to.deep.equal({ type: 'process', id: `${seriesOf(dying.name)}@${hostname()}` });
      expect(alarm.reason).to.include('exited unexpectedly (SIGKILL)');
    }
    await pay();
    expect(await read('submissions_total', submitted)).to.equal(before + 1);
  });

  it('answers while a process is suspended, with the last counters of that process, and alerts', async () => {
    const jobs = (await read('job_runs_total'))!;
    // The alarms about the processes that were killed before.
    await alarmModel(connection).updateMany({}, { $set: { state: 'resolved' } });
    await until('no alarm is open', async () => !(await read('alarms_open', { kind: 'process_failed' })));
    const before = await scrape();
    /** Names of the rules whose expression is true for the previous scrape and this one. */
    const alertsIn = (now: readonly Series[]): string[] =>
      rules
        .filter(({ expr }) => evaluatePromql(expr, { before, now, seconds: 300 }).length > 0)
        .map(({ alert }) => alert);
    expect(alertsIn(await scrape()), 'while all processes work').to.deep.equal([]);
    const { pid } = await processOf('worker');
    process.kill(pid, 'SIGSTOP');
    try {
      await until('the worker counts as not up', async () => (await read('processes_up', { role: 'worker' })) === 0);
      const status = await until('its host reports it', async () => {
        const one = await statusOf('Worker 1');
        return one?.state === 'unresponsive' && one;
      });
      expect(status.silentMs).to.be.at.least(2500);
      expect(await statusOf('API 1')).to.include({ state: 'up' });
      const page = await scrape();
      expect(valueIn(page, 'gateway_processes_silent')).to.equal(1);
      expect(valueIn(page, 'gateway_job_runs_total')).to.be.at.least(jobs);
      expect(valueIn(page, 'gateway_nodejs_eventloop_lag_p99_seconds', { process: 'worker-1' })).to.equal(undefined);
      expect(alertsIn(page)).to.include.members(['GatewayProcessDown', 'GatewayNoWorker', 'GatewayScrapeIncomplete']);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('the worker is up again', async () => (await read('processes_up', { role: 'worker' })) === 1);
    await until('its host reports that too', async () => (await statusOf('Worker 1'))?.state === 'up');
    expect((await alarmsOf()).map(({ _id }) => _id).filter((id) => id.includes('worker'))).to.deep.equal([]);
  });
});
