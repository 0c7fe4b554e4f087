import { expect } from 'chai';
import { describe, it } from 'mocha';
import { holdTimers } from '../base/testing/hold-timers.ts';
import { until } from '../base/testing/until.ts';
import { createDatabaseProbe, type DatabaseProbe } from './database-probe.ts';

/** A scripted database: its members say whether it is up and working. A promise delays the answer. */
function scripted() {
  const lines: string[] = [];
  const doubts = new Set<() => void>();
  const database = {
    up: true as boolean | Promise<boolean>,
    works: true as boolean | Promise<boolean>,
    asked: [] as string[],
    isUp: async () => (database.asked.push('up'), database.up),
    isWorking: async () => (database.asked.push('works'), database.works),
    onDoubt: (listener: () => void) => (doubts.add(listener), () => void doubts.delete(listener)),
    doubt: () => doubts.forEach((listener) => listener()),
  };
  const log = { warn: (line: string) => lines.push(line), info: (line: string) => lines.push(line) };
  const probe = createDatabaseProbe(database, log as never);
  return { database, lines, probe };
}

describe('createDatabaseProbe', () => {
  let probe: DatabaseProbe | undefined;
  afterEach(() => probe?.stop());

  it('reports a slow database once five answers in a row took half a second', async () => {
    const realNow = performance.now.bind(performance);
    let [passedMs, answerMs] = [0, 600];
    performance.now = () => realNow() + passedMs;
    const said: number[] = [];
    const { database } = scripted();
    const isUp = async (): Promise<boolean> => ((passedMs += answerMs), true);
    const answered: number[] = [];
    const slow = createDatabaseProbe(
      { ...database, isUp },
      { warn: () => undefined, info: () => undefined },
      { onSlow: (ms) => said.push(ms), onAnswer: (seconds) => answered.push(seconds) },
    );
    probe = slow;
    try {
      for (let times = 0; times < 4; times += 1) await slow.check();
      expect(said).to.deep.equal([]);
      await slow.check();
      expect(said).to.deep.equal([500]);
      expect(answered[0]).to.be.closeTo(0.6, 0.1);
      answerMs = 10;
      for (let times = 0; times < 5; times += 1) await slow.check();
      answerMs = 600;
      await slow.check();
      expect(said).to.deep.equal([500]);
    } finally {
      performance.now = realNow;
    }
  });

  it('returns the result of a check immediately, and logs each change once', async () => {
    const made = scripted();
    const { database, lines } = made;
    probe = made.probe;
    expect(await probe.check()).to.equal(true);
    [database.up, database.works] = [false, false];
    const before = database.asked.length;
    expect(await Promise.all([probe.check(), probe.check()])).to.deep.equal([false, false]);
    expect(database.asked.length - before).to.equal(1);
    expect(probe.isUp).to.equal(false);
    await probe.check();
    [database.up, database.works] = [true, true];
    await probe.check();
    expect(probe.isUp).to.equal(true);
    let losses = 0;
    const end = probe.onDatabaseLost(() => (losses += 1));
    for (const answers of [false, true, false]) {
      [database.up, database.works] = [answers, answers];
      await probe.check();
    }
    expect(losses).to.equal(2);
    end();
    for (const answers of [true, false, true]) {
      [database.up, database.works] = [answers, answers];
      await probe.check();
    }
    expect(losses).to.equal(2);
    expect(lines.slice(0, 2)).to.deep.equal([
      'the database does not answer: requests are refused until it does',
      'the database answers again',
    ]);
  });

  it('reports a database that is up but does not work as silent after a failed command, until it works', async () => {
    const made = scripted();
    const { database } = made;
    probe = made.probe;
    await probe.check();
    let end!: (works: boolean) => void;
    database.works = new Promise((resolve) => (end = resolve));
    database.doubt();
    await until('the time for its proof is over', () => !made.probe.isUp);
    end(false);
    await probe.check();
    expect(await probe.check(), 'while the database is only up').to.equal(false);
    database.works = true;
    expect(await probe.check()).to.equal(true);
  });

  it('stays answering after a failed command if the database immediately proves that it works', async () => {
    const made = scripted();
    const { database, lines } = made;
    probe = made.probe;
    await probe.check();
    let losses = 0;
    probe.onDatabaseLost(() => (losses += 1));
    const before = database.asked.length;
    database.doubt();
    database.doubt();
    await until('it was asked for a write', () => database.asked.includes('works'));
    expect(await probe.check()).to.equal(true);
    expect(database.asked.slice(before).filter((one) => one === 'works')).to.have.length(1);
    expect([losses, lines]).to.deep.equal([0, []]);
  });

  it('probes every 10 s, for requests every second, and every second while the database does not answer', async () => {
    const realNow = performance.now.bind(performance);
    let passedMs = 0;
    performance.now = () => realNow() + passedMs;
    const timers = holdTimers();
    try {
      const made = scripted();
      const { database } = made;
      probe = made.probe;
      await made.probe.check();
      const before = database.asked.length;
      expect([probe.isUpForRequest(), database.asked.length]).to.deep.equal([true, before]);
      expect(timers.waits()).to.deep.equal([10_000]);
      passedMs += 1000;
      database.up = false;
      expect([probe.isUpForRequest(), database.asked.length]).to.deep.equal([true, before + 1]);
      expect([await probe.check(), probe.isUpForRequest()]).to.deep.equal([false, false]);
      expect(timers.waits()).to.deep.equal([1000]);
      timers.endAll();
      expect(database.asked.length).to.equal(before + 2);
    } finally {
      timers.restore();
      performance.now = realNow;
    }
  });

  it('ignores the answer to a probe that started before the doubt', async () => {
    const made = scripted();
    const { database } = made;
    probe = made.probe;
    await probe.check();
    let sayUp!: (up: boolean) => void;
    database.up = new Promise((resolve) => (sayUp = resolve));
    const early = probe.check();
    database.works = false;
    database.doubt();
    sayUp(true);
    await early;
    await until('it was asked for a write', () => database.asked.includes('works'));
    expect(await probe.check()).to.equal(false);
  });
});
