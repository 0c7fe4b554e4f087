import { expect } from 'chai';
import { describe, it } from 'mocha';
import { holdTimers } from '../../base/testing/hold-timers.ts';
import { createVerificationTurns } from './verification-turns.ts';

describe('the turns of verifications', () => {
  /** Costs the event loop more than one turn may. */
  function burn(): void {
    const until = performance.now() + 6;
    while (performance.now() < until);
  }

  it('lets another address in before one that sends many is through', async () => {
    const turns = createVerificationTurns();
    const began: string[] = [];
    const verify = async (address: string) =>
      turns.run(address, async () => {
        began.push(address);
        burn();
        return address;
      });
    const flood = Array.from({ length: 20 }, async () => verify('192.0.2.1'));
    expect(await verify('192.0.2.2')).to.equal('192.0.2.2');
    expect(began.length).to.be.lessThan(4);
    await Promise.all(flood);
    expect(began).to.have.length(21);
  });

  it('leaves the event loop its turn between them', async () => {
    const turns = createVerificationTurns();
    let done = 0;
    const flood = Array.from({ length: 20 }, async () =>
      turns.run('192.0.2.1', async () => {
        burn();
        done += 1;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(done).to.be.lessThan(4);
    await Promise.all(flood);
  });

  it('has few of one network of IPv6 under way, and gives up what waits too long', async () => {
    const timers = holdTimers();
    try {
      const turns = createVerificationTurns({ perAddress: 2 });
      const release: (() => void)[] = [];
      const hang = async () => new Promise<string>((resolve) => release.push(() => resolve('done')));
      const hanging = [turns.run('2001:db8::1', hang), turns.run('2001:db8::2', hang)];
      const tooLong = turns.run('2001:db8::3', async () => 'done');
      // Only once the third is left alone among those that wait.
      expect(await turns.run('2001:db8:1::3', async () => 'done')).to.equal('done');
      expect(release).to.have.length(2);
      timers.endAll();
      expect(await tooLong).to.equal(undefined);
      for (const end of release) end();
      expect(await Promise.all(hanging)).to.deep.equal(['done', 'done']);
      expect(await turns.run('2001:db8::3', async () => 'done')).to.equal('done');
    } finally {
      timers.restore();
    }
  });

  it('keeps no more waiting of an address than it may, and passes a failure on', async () => {
    const turns = createVerificationTurns({ perAddress: 1, waitingPerAddress: 1 });
    const first = turns.run('192.0.2.1', async () => Promise.reject(new Error('broken')));
    const second = turns.run('192.0.2.1', async () => 'second');
    expect(await turns.run('192.0.2.1', async () => 'third')).to.equal(undefined);
    expect(await first.catch((error: Error) => error.message)).to.equal('broken');
    expect(await second).to.equal('second');
  });
});
