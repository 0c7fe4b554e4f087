import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createDeferred } from './processes/deferred.ts';
import { createStep, startSteps, type StepOptions, type StepWithValue } from './steps.ts';

describe('startSteps', () => {
  let done: string[];
  let stopping: AbortController;
  beforeEach(() => {
    done = [];
    stopping = new AbortController();
  });

  const step = (name: string, options: Partial<StepOptions<string>> = {}): StepWithValue<string> =>
    createStep({
      async start() {
        done.push(`start ${name}`);
        return `value of ${name}`;
      },
      drain: async (value) => void done.push(`drain ${name}: ${value}`),
      stop: async () => void done.push(`stop ${name}`),
      ...options,
    });
  const starts = (...names: string[]): string[] => names.map((name) => `start ${name}`);
  const messageOf = async (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'it resolved',
      (error: unknown) => (error as Error).message,
    );

  it('starts in order, then drains all and stops all in reverse order', async () => {
    const steps = [step('a'), step('b')];
    const running = startSteps(steps, stopping.signal);
    await running.started;
    expect(done.splice(0)).to.deep.equal(starts('a', 'b'));
    expect(steps[1]!.value).to.equal('value of b');
    stopping.abort();
    await running.stop();
    expect(done).to.deep.equal(['drain b: value of b', 'drain a: value of a', 'stop b', 'stop a']);
  });

  it('starts no step after one that fails, and stops only the steps that have started', async () => {
    const failing = step('b', { start: () => Promise.reject(new Error('no b')) });
    const running = startSteps([step('a'), failing, step('c')], stopping.signal);
    expect(await messageOf(running.started)).to.equal('no b');
    expect(failing.current).to.equal(undefined);
    expect(() => failing.value).to.throw('before it had started');
    stopping.abort();
    await running.stop();
    expect(done).to.deep.equal(['start a', 'drain a: value of a', 'stop a']);
  });

  it('drains a step whose start takes no time, even if the stop comes in the same turn', async () => {
    const running = startSteps([step('a', { start: () => 'value of a' }), step('b')], stopping.signal);
    stopping.abort();
    await running.stop();
    expect(done).to.deep.equal(['drain a: value of a', 'stop a']);
  });

  it('drains earlier steps while a later one is starting, and stops none of them before that has ended', async () => {
    const isStarting = createDeferred<void>();
    const isReady = createDeferred<void>();
    const waiting = step('b', {
      async start() {
        isStarting.resolve();
        await isReady.promise;
        done.push('start b');
        return '';
      },
    });
    const drainedA = createDeferred<void>();
    const first = step('a', {
      async drain() {
        done.push('drain a');
        drainedA.resolve();
      },
    });
    const running = startSteps([first, waiting, step('c')], stopping.signal);
    await isStarting.promise;
    stopping.abort();
    const stopped = running.stop();
    await drainedA.promise;
    expect(done.splice(0)).to.deep.equal(['start a', 'drain a']);
    isReady.resolve();
    await stopped;
    expect(done).to.deep.equal(['start b', 'stop b', 'stop a']);
    expect(await messageOf(running.started)).to.match(/aborted/);
  });
});
