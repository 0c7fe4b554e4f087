import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import mongoose, { type Connection } from 'mongoose';
import { pino } from 'pino';
import { ensureCollections } from '../../../core/database/collections.ts';
import { adapterStatesModel } from '../../../core/database/collections/adapter-state.ts';
import { hostModel } from '../../../core/database/collections/host.ts';
import { wakeUpModel } from '../../../core/database/collections/wake-up.ts';
import { WrongKeysError } from '../../../core/engine/secrets/index.ts';
import type { Work } from '../../../core/engine/jobs/index.ts';
import { until } from '../../../core/base/testing/until.ts';
import { MINUTE } from '../../../core/base/async/time.ts';
import { withWrongClock } from '../../../core/base/testing/wrong-clock.ts';
import { testDatabase } from '../testing/database.ts';
import { createHosts, type Hosts, type HostsDeps, type HostState } from './hosts.ts';
import { createWakeUpSender, followWakeUps } from './wake-ups.ts';

const log = pino({ level: 'silent' });

describe('createHosts', function () {
  this.timeout(300_000);
  let connection: Connection;
  let running: Hosts[] = [];

  before(async () => {
    connection = await mongoose.createConnection(testDatabase('hosts')).asPromise();
    await ensureCollections(connection, log, [hostModel, wakeUpModel]);
  });
  after(async () => {
    await connection.dropDatabase();
    await connection.close();
  });
  beforeEach(async () => hostModel(connection).deleteMany());
  afterEach(async () => {
    await Promise.all(running.map(async (host) => host.stop()));
    running = [];
  });

  interface Probe {
    readonly hosts: Hosts;
    readonly dead: (readonly string[])[];
    readonly differing: string[];
    latest(): HostState | undefined;
  }
  function create(name: string, more: Partial<HostsDeps> = {}, identity: Partial<HostsDeps['identity']> = {}): Probe {
    const dead: (readonly string[])[] = [];
    const differing: string[] = [];
    let latest: HostState | undefined;
    const hosts = createHosts({
      connection,
      identity: { _id: name, hostname: name, tokenSecrets: ['a'], adapters: [], ...identity },
      present: () => ({ workers: 1, processes: [`worker-of-${name}`] }),
      checkKeys: async () => undefined,
      onDead: async (processes) => void dead.push(processes),
      onWorkersLost: () => undefined,
      onAdapterStates: () => undefined,
      onPoll: (state) => (latest = state),
      onVersionsDiffer: (_adapter, reason) => differing.push(reason),
      log,
      ...more,
      timing: { everyMs: 50, renewEveryMs: 50, silentMs: 4000, pauseMs: 2000, keysEveryMs: 0, ...more.timing },
    });
    running.push(hosts);
    return { hosts, dead, differing, latest: () => latest };
  }
  const names = async (): Promise<string[]> =>
    (await hostModel(connection).find().lean()).map(({ _id }) => _id).toSorted();

  it('finds the other hosts, and does not wake a host that has left', async () => {
    const [a, b] = [create('a'), create('b')];
    expect([await a.hosts.start(), await b.hosts.start()]).to.deep.equal([[], []]);
    expect(await names()).to.deep.equal(['a', 'b']);
    await until('a knows b', () => a.latest()?.workersElsewhere === 1);
    expect(a.hosts.nextWithWorkers()).to.equal('b');
    await b.hosts.stop();
    expect(await names()).to.deep.equal(['a']);
    await until('a knows that b left', () => a.latest()?.workersElsewhere === 0);
    expect(a.hosts.nextWithWorkers()).to.equal(undefined);
  });

  it('notices a host that died and frees what its processes held, but nothing of a host that is alive', async () => {
    const [a, b] = [create('a'), create('b')];
    await a.hosts.start();
    await b.hosts.start();
    const at = new Date();
    const dying = {
      _id: 'c',
      hostname: 'c',
      startedAt: at,
      seenAt: at,
      workers: 2,
      processes: ['worker-1-x', 'worker-2-x'],
      tokenSecrets: ['a'],
      adapters: [],
    };
    await hostModel(connection).create(dying);
    await until('the death is noticed', () => a.dead.length + b.dead.length > 0);
    expect([...a.dead, ...b.dead][0]).to.deep.equal(['worker-1-x', 'worker-2-x']);
    await until('its document is removed', async () => !(await names()).includes('c'));
    expect(await names()).to.deep.equal(['a', 'b']);
    expect([...a.dead, ...b.dead].flat()).to.not.include.members(['worker-of-a', 'worker-of-b']);
  });

  it('keeps the document of a dead host until its rows and locks are free, so that another host can finish', async () => {
    let free: (() => void) | undefined;
    let asked = 0;
    const onDead = async (): Promise<void> => {
      asked += 1;
      await new Promise<void>((resolve) => (free = resolve));
    };
    let polls = 0;
    const a = create('a', { onDead, onPoll: () => (polls += 1) });
    await a.hosts.start();
    const at = new Date();
    await hostModel(connection).create({
      _id: 'c',
      hostname: 'c',
      startedAt: at,
      seenAt: at,
      workers: 1,
      processes: ['worker-1-x'],
      tokenSecrets: ['a'],
      adapters: [],
    });
    await until('the death is noticed', () => free !== undefined);
    const from = polls;
    await until('the hosts were polled again', () => polls > from + 2);
    expect([await names(), asked]).to.deep.equal([['a', 'c'], 1]);
    free!();
    await until('its document is removed', async () => (await names()).length === 1);
  });

  it('reports once that another host has no workers any more, because it may have left work', async () => {
    let lost = 0;
    let workers = 1;
    const a = create('a', { onWorkersLost: () => (lost += 1) });
    const b = create('b', { present: () => ({ workers, processes: [] }) });
    await a.hosts.start();
    await b.hosts.start();
    await until('a knows b', () => a.latest()?.workersElsewhere === 1);
    expect(lost).to.equal(0);
    workers = 0;
    await until('a notices', () => lost > 0);
    workers = 1;
    await until('it has some again', () => a.latest()?.workersElsewhere === 1);
    await b.hosts.stop();
    await until('a notices that it left', () => a.latest()?.workersElsewhere === 0);
    expect(lost).to.equal(2);
  });

  it('notices whether another host that is alive has the same hostname', async () => {
    const [a, b] = [create('a', {}, { hostname: 'same' }), create('b', {}, { hostname: 'same' })];
    await a.hosts.start();
    expect(a.latest()?.isNameShared).to.equal(false);
    await b.hosts.start();
    expect(b.latest()?.isNameShared).to.equal(true);
    await until('the first knows it', () => a.latest()?.isNameShared === true);
    await b.hosts.stop();
    await until('the first is alone', () => a.latest()?.isNameShared === false);
  });

  it('does not count the time in which it could not poll as the silence of another host', async () => {
    // As after an outage of the database: all hosts were silent, and the poll comes after a pause.
    const a = create('a', { timing: { silentMs: 400, pauseMs: 100, everyMs: 500 } });
    await a.hosts.start();
    const at = new Date();
    await hostModel(connection).create({
      _id: 'c',
      hostname: 'c',
      startedAt: at,
      seenAt: at,
      workers: 1,
      processes: ['c-1'],
      tokenSecrets: ['a'],
      adapters: [],
    });
    let polls = 0;
    let last: HostState | undefined;
    await until('it has polled often', () => {
      if (a.latest() !== last) polls += 1;
      last = a.latest();
      return polls > 4;
    });
    expect(a.dead).to.deep.equal([]);
  });

  it('reports every new version of the adapters’ states once', async () => {
    const states = adapterStatesModel(connection);
    const stored = { states: {}, fileStates: {} };
    await states.create({ _id: 'adapters', version: 3, ...stored });
    let changes = 0;
    const a = create('a', { onAdapterStates: () => (changes += 1) });
    await a.hosts.start();
    // At the first poll too: a process may have started before a change that this host never saw.
    expect(changes).to.equal(1);
    await states.updateOne({ _id: 'adapters' }, { version: 4 });
    await until('it reports the change', () => changes > 1);
    let polls = 0;
    let last = a.latest();
    await until('it has polled again', () => {
      if (a.latest() !== last) polls += 1;
      last = a.latest();
      return polls > 2;
    });
    expect(changes).to.equal(2);
    await states.deleteMany();
  });

  it('renews its document less often than it polls', async () => {
    let polls = 0;
    const a = create('a', { onPoll: () => (polls += 1), timing: { renewEveryMs: 60_000 } });
    await a.hosts.start();
    const seenAt = async () => (await hostModel(connection).findById('a').lean())?.seenAt;
    const first = await seenAt();
    await until('it has polled often', () => polls > 4);
    expect(await seenAt()).to.deep.equal(first);
    a.hosts.renew();
    await until('its document is renewed on request', async () => (await seenAt())?.getTime() !== first?.getTime());
  });

  it('does not use its own clock to find dead hosts', async () => {
    const [a, b] = [create('a'), create('b')];
    await a.hosts.start();
    await b.hosts.start();
    for (const aheadMs of [3_600_000, -3_600_000]) {
      let polls = 0;
      let last: HostState | undefined;
      await withWrongClock(aheadMs, async () =>
        until('it has polled often', () => {
          if (a.latest() !== last) polls += 1;
          last = a.latest();
          return polls > 4;
        }),
      );
    }
    expect([a.dead, b.dead, await names()]).to.deep.equal([[], [], ['a', 'b']]);
  });

  it('refuses a host with other 3D Secure secrets, and leaves no document of it', async () => {
    const a = create('a');
    await a.hosts.start();
    const b = create('b', {}, { tokenSecrets: ['b'] });
    const problems = await b.hosts.start();
    expect(problems).to.have.length(1);
    expect(problems[0]).to.match(/^The 3D Secure secrets differ from those of host a: threeDs\.tokenSecrets /);
    expect(await names()).to.deep.equal(['a']);
    expect(await create('c', {}, { tokenSecrets: ['a', 'b'] }).hosts.start()).to.deep.equal([]);
  });

  it('refuses a host whose clock is more than 5 s off, and fences a host whose clock goes wrong later', async () => {
    const late = create('late');
    const problems = await withWrongClock(-8000, async () => late.hosts.start());
    expect(problems[0]).to.match(/^The clock of this host is \d+ s behind the database's: /);
    const a = create('a');
    expect(await a.hosts.start()).to.deep.equal([]);
    await withWrongClock(60_000, async () => until('it says so', () => a.latest()?.problems.length === 1));
    await until('it is right again', () => a.latest()?.problems.length === 0);
  });

  it('fences a host whose keys no longer open the database, but not because the database fails', async () => {
    let failure: Error | undefined;
    let checks = 0;
    const a = create('a', {
      async checkKeys() {
        checks += 1;
        if (failure) throw failure;
      },
    });
    await a.hosts.start();
    failure = new WrongKeysError('another key');
    await until('it says so', () => a.latest()?.problems[0]?.text === 'another key');
    failure = undefined;
    await until('it is right again', () => a.latest()?.problems.length === 0);
    failure = new Error('no answer');
    const before = checks;
    await until('the keys were checked again', () => checks > before + 2);
    expect(a.latest()?.problems).to.deep.equal([]);
  });

  it('reports adapters of several versions, and raises an alarm if that lasts for 30 min', async () => {
    let polls = 0;
    const a = create('a', {}, { adapters: [{ name: 'x', version: '1.0.0' }] });
    const b = create('b', { onPoll: () => (polls += 1) }, { adapters: [{ name: 'x', version: '1.1.0' }] });
    await a.hosts.start();
    await b.hosts.start();
    const reason = 'x runs in several versions: 1.0.0 on a; 1.1.0 on b';
    await until('it is a warning', () => a.latest()?.warnings[0] === reason);
    await later(29 * MINUTE, async () => {
      const from = polls;
      await until('the hosts were polled again', () => polls > from + 2);
    });
    expect([a.differing, b.differing]).to.deep.equal([[], []]);
    await later(31 * MINUTE, async () => until('it is an alarm', () => a.differing[0] === reason));
    expect(a.latest()?.problems).to.deep.equal([]);
    await b.hosts.stop();
    await until('the warning is gone', () => a.latest()?.warnings.length === 0);
  });

  /** Does the work with a clock that is ahead by this time. */
  async function later(ms: number, work: () => Promise<unknown>): Promise<void> {
    const now = performance.now.bind(performance);
    performance.now = () => now() + ms;
    try {
      await work();
    } finally {
      performance.now = now;
    }
  }

  it('wakes a host that follows wake-ups, and sends it only its own', async () => {
    const heard: Work[] = [];
    const unfollow = followWakeUps(connection, 'b', (work) => heard.push(...work), log);
    let to = 'b';
    const wake = createWakeUpSender(connection, () => to, log);
    try {
      wake('callbacks');
      await until('b hears it', () => heard.includes('callbacks'));
      to = 'c';
      wake('reconcile');
      await until('it is written', async () => (await wakeUpModel(connection).countDocuments({ to: 'c' })) === 1);
      createWakeUpSender(connection, () => undefined, log)('reconcile');
      to = 'b';
      wake('notifications');
      await until('b hears the next', () => heard.includes('notifications'));
      expect(heard).to.not.include('reconcile');
    } finally {
      unfollow();
    }
  });
});
