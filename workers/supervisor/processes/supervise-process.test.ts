import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { until } from '../../../core/base/testing/until.ts';
import { superviseProcess, type SupervisedProcess, type Timing } from './supervise-process.ts';
import { StartError } from '../start-error.ts';
import type { Behaviour } from './testing/double.ts';

const script = new URL('testing/double.js', import.meta.url);

describe('superviseProcess', () => {
  const supervised: SupervisedProcess[] = [];
  afterEach(async () => {
    await Promise.all(supervised.splice(0).map(async (one) => one.stop(200)));
  });

  interface Supervision {
    readonly one: SupervisedProcess;
    readonly ups: string[];
    readonly downs: string[];
    /** The reason and the name of each failed process. */
    readonly failures: (readonly [why: string, name: string])[];
  }
  /** One behaviour per process, in order. The last one also counts for all later processes. */
  const supervise = (behaviours: readonly Behaviour[], timing: Partial<Timing> = {}): Supervision => {
    const [ups, downs, failures]: [string[], string[], [string, string][]] = [[], [], []];
    let count = 0;
    const one = superviseProcess({
      script,
      title: 'The double',
      newName: () => `double-${(count += 1)}`,
      options: async (name) => ({
        run: { config: { log: { level: 'silent' }, traces: { ratio: 1 } } } as never,
        name,
        log: {},
        extra: behaviours[Math.min(count, behaviours.length) - 1],
      }),
      log: pino({ level: 'silent' }),
      timing: { minBackoffMs: 20, ...timing },
      onUp: (_report, name) => ups.push(name),
      onDown: (name) => downs.push(name),
      onFailed: (why, name) => failures.push([why, name]),
    });
    supervised.push(one);
    return { one, ups, downs, failures };
  };
  const refusal = async ({ one }: Supervision): Promise<readonly string[]> => {
    const outcome = await one.started.catch((error: unknown) => error);
    if (!(outcome instanceof StartError)) throw new Error('the process started');
    return outcome.problems;
  };
  const kill = ({ one }: Supervision, signal: NodeJS.Signals): boolean => process.kill(one.pid ?? 0, signal);

  it('reports when the process is up, and ends the process when it is stopped', async () => {
    const running = supervise(['well']);
    const report = await running.one.started;
    expect(report).to.deep.equal({ pid: running.one.pid });
    expect(running.one.isUp).to.equal(true);
    expect(running.one.status).to.deep.include({ title: 'The double', name: 'double-1', state: 'up' });
    await running.one.stop(5000);
    expect(running).to.deep.include({ ups: ['double-1'], downs: ['double-1'], failures: [] });
    expect(running.one.pid).to.equal(undefined);
    expect(running.one.status).to.deep.equal({ title: 'The double', name: '', state: 'down', silentMs: 0 });
  });

  it('reports why the process cannot start, and does not try again', async () => {
    const running = supervise(['refuses', 'well']);
    expect(await refusal(running)).to.deep.equal(['One is wrong.', 'Two is wrong.']);
    expect(running).to.deep.include({ downs: ['double-1'], failures: [] });
  });

  it('does not try again when the process dies without a message during the start, or is not up in time', async () => {
    expect(await refusal(supervise(['dies']))).to.deep.equal([
      'The double exited unexpectedly (exit code 7). See the log.',
    ]);
    const slow = supervise(['hangs'], { startMs: 300 });
    expect(await refusal(slow)).to.deep.equal(['The double was not up within 0.3 s and was killed.']);
  });

  it('replaces the process under a new name each time it dies, even if some replacements cannot start', async () => {
    const running = supervise(['well', 'well', 'dies', 'refuses', 'well']);
    await running.one.started;
    kill(running, 'SIGKILL');
    await until('the second is up', () => running.ups.length === 2);
    kill(running, 'SIGKILL');
    await until('the fifth is up', () => running.ups.length === 3);
    expect(running.ups).to.deep.equal(['double-1', 'double-2', 'double-5']);
    expect(running.downs).to.deep.equal(['double-1', 'double-2', 'double-3', 'double-4']);
    expect(running.failures).to.deep.equal([
      ['The double exited unexpectedly (SIGKILL). See the log.', 'double-1'],
      ['The double exited unexpectedly (SIGKILL). See the log.', 'double-2'],
      ['The double exited unexpectedly (exit code 7). See the log.', 'double-3'],
      ['One is wrong. Two is wrong.', 'double-4'],
    ]);
  });

  it('allows a blocked event loop during the start, when only the start limit counts', async () => {
    const running = supervise(['starts slowly'], { blockedMs: 1500 });
    await running.one.started;
    await running.one.stop(5000);
    expect(running).to.deep.include({ ups: ['double-1'], downs: ['double-1'] });
  });

  it('kills and replaces a process whose event loop is blocked', async () => {
    // Longer than the pause between heartbeats on a busy machine.
    const running = supervise(['blocks', 'well'], { blockedMs: 4000 });
    await running.one.started;
    running.one.send({ type: 'work', work: [] });
    await until('another is up', () => running.ups.length === 2);
    expect(running.downs).to.deep.equal(['double-1']);
    expect(running.failures).to.deep.equal([['The double did not answer for 4 s and was killed.', 'double-1']]);
  });

  it('shows the process as unresponsive soon after its last heartbeat, and as up when heartbeats continue', async () => {
    const running = supervise(['well'], { blockedMs: 90_000 });
    expect(running.one.status.state).to.equal('starting');
    await running.one.started;
    kill(running, 'SIGSTOP');
    await until('it is unresponsive', () => running.one.status.state === 'unresponsive');
    expect(running.one.status.silentMs).to.be.within(2500, 10_000);
    kill(running, 'SIGCONT');
    await until('it is up', () => running.one.status.state === 'up');
    expect(running).to.deep.include({ ups: ['double-1'], downs: [], failures: [] });
  });

  it('keeps the process running on signals, which a terminal sends to every process', async () => {
    const running = supervise(['well']);
    await running.one.started;
    kill(running, 'SIGINT');
    kill(running, 'SIGTERM');
    await running.one.stop(5000);
    expect(running.downs).to.deep.equal(['double-1']);
    expect(running.one.isUp).to.equal(false);
  });

  it('kills a process that does not stop in time, and stops a process that is starting', async () => {
    const stubborn = supervise(['ignores stop']);
    await stubborn.one.started;
    const begun = performance.now();
    // Only SIGKILL ends it.
    await stubborn.one.stop(300);
    expect(performance.now() - begun).to.be.at.least(290);

    const starting = supervise(['hangs']);
    await starting.one.stop(5000);
    expect(await refusal(starting)).to.deep.equal(['The double was stopped while it was starting.']);
  });
});
