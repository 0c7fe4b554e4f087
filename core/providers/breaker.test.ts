import { ProviderCallError, type CallFailure } from '@gateway/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createBreaker } from './breaker.ts';

function subject() {
  const clock = { time: 0 };
  const breaker = createBreaker({ failures: 3, coolOffMs: 1000, now: () => new Date(clock.time) });
  const succeed = async (): Promise<string> => breaker.run(async () => 'answered');
  const fail = async (failure: CallFailure = 'no_answer'): Promise<string> =>
    breaker
      .run(async () => Promise.reject(new ProviderCallError(failure, 'failed')))
      .catch((error: Error) => error.message);
  const attempt = async (): Promise<string> => succeed().catch((error: Error) => error.message);
  return { breaker, clock, fail, attempt };
}
const refused = 'not asked: its last 3 exchanges failed';

describe('createBreaker', () => {
  it('opens after so many transport failures in a row', async () => {
    const { fail, attempt } = subject();
    await fail('not_sent');
    await fail();
    expect(await attempt()).to.equal('answered');
    for (const failure of ['no_answer', 'not_sent', 'no_answer'] as const)
      expect(await fail(failure)).to.equal('failed');
    expect(await attempt()).to.equal(refused);
  });

  it('does not count other errors', async () => {
    const { breaker, attempt } = subject();
    for (let times = 0; times < 5; times += 1) {
      await breaker.run(async () => Promise.reject(new TypeError('a bug'))).catch(() => undefined);
    }
    expect(await attempt()).to.equal('answered');
  });

  it('refuses as not sent', async () => {
    const { breaker, fail } = subject();
    for (let times = 0; times < 3; times += 1) await fail();
    const error: unknown = await breaker.run(async () => 1).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ProviderCallError).and.include({ failure: 'not_sent' });
  });

  it('lets one through after the cool-off, and closes when it is answered', async () => {
    const { breaker, clock, fail, attempt } = subject();
    for (let times = 0; times < 3; times += 1) await fail();
    clock.time = 999;
    expect(await attempt()).to.equal(refused);
    clock.time = 1000;
    let answer: ((text: string) => void) | undefined;
    const trial = breaker.run(async () => new Promise<string>((resolve) => (answer = resolve)));
    expect(await attempt()).to.equal(refused);
    answer?.('answered');
    expect(await trial).to.equal('answered');
    expect(await attempt()).to.equal('answered');
    expect(await fail()).to.equal('failed');
    expect(await attempt()).to.equal('answered');
  });

  it('stays open for another cool-off when that one fails', async () => {
    const { clock, fail, attempt } = subject();
    for (let times = 0; times < 3; times += 1) await fail();
    clock.time = 1000;
    expect(await fail()).to.equal('failed');
    clock.time = 1999;
    expect(await attempt()).to.contain('not asked');
    clock.time = 2000;
    expect(await attempt()).to.equal('answered');
  });
});
