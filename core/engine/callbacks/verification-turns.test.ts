import { expect } from 'chai';
import { describe, it } from 'mocha';
import { holdTimers } from '../../base/testing/hold-timers.ts';
import { createVerificationTurns } from './verification-turns.ts';

describe('createVerificationTurns', () => {
  /** Blocks the event loop for longer than one turn may. */
  function blockEventLoop(): void {
    const until = performance.now() + 6;
    while (performance.now() < until);
  }

  it('verifies callbacks of another address before all callbacks of a flooding address', async () => {
    const turns = createVerificationTurns();
    const started: string[] = [];
    const verify = async (address: string) =>
      turns.run(address, async () => {
        started.push(address);
        blockEventLoop();
        return address;
      });
    const flood = Array.from({ length: 20 }, async () => verify('192.0.2.1'));
    expect(await verify('192.0.2.2')).to.equal('192.0.2.2');
    expect(started.length).to.be.lessThan(4);
    await Promise.all(flood);
    expect(started).to.have.length(21);
  });

  it('yields to the event loop between verifications', async () => {
    const turns = createVerificationTurns();
    let done = 0;
    const flood = Array.from({ length: 20 }, async () =>
      turns.run('192.0.2.1', async () => {
        blockEventLoop();
        done += 1;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(done).to.be.lessThan(4);
    await Promise.all(flood);
  });

  it('limits concurrent verifications per IPv6 network, and gives up a callback that waits too long', async () => {
    const timers = holdTimers();
    try {
      const turns = createVerificationTurns({ perAddress: 2 });
      const release: (() => void)[] = [];
      const hang = async () => new Promise<string>((resolve) => release.push(() => resolve('done')));
      const hanging = [turns.run('2001:db8::1', hang), turns.run('2001:db8::2', hang)];
      const tooLong = turns.run('2001:db8::3', async () => 'done');
      // Resolves only after the queue has passed over the third verification.
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

  it('limits the waiting verifications per address, and rejects with the error of a failed verification', async () => {
    const turns = createVerificationTurns({ perAddress: 1, waitingPerAddress: 1 });
    const first = turns.run('192.0.2.1', async () => Promise.reject(new Error('broken')));
    const second = turns.run('192.0.2.1', async () => 'second');
    expect(await turns.run('192.0.2.1', async () => 'third')).to.equal(undefined);
    expect(await first.catch((error: Error) => error.message)).to.equal('broken');
    expect(await second).to.equal('second');
  });
});
