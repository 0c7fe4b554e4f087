import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Gateway } from '../../core/gateway.ts';
import { reconcile } from './reconcile.ts';

describe('the job reconcile', () => {
  it('hears every lane that fails, says the first failure, and leaves no rejection unheard', async () => {
    const unheard: unknown[] = [];
    const hear = (error: unknown): unknown => unheard.push(error);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', hear);
    let claims = 0;
    const release: (() => void)[] = [];
    const reconciler = {
      async claim() {
        claims += 1;
        if (claims <= 3) return { attempts: [] };
        throw new Error(`claim ${claims}`);
      },
      reconcile: async () => new Promise<void>((resolve) => release.push(resolve)),
      claimSuspect: async () => undefined,
      nextDueAt: async () => undefined,
    };
    try {
      const gateway = { payments: { reconciler } } as unknown as Gateway;
      const run = reconcile.run(gateway, new AbortController().signal).catch((error: Error) => error.message);
      const letGo = setInterval(() => release.splice(0).forEach((end) => end()), 1);
      const failure = await run;
      // Rejections that nobody heard are reported once the loop turns.
      await new Promise((resolve) => setTimeout(resolve, 5));
      clearInterval(letGo);
      expect(failure).to.equal('claim 4');
      expect(unheard).to.deep.equal([]);
    } finally {
      process.removeListener('unhandledRejection', hear);
      for (const other of others) process.on('unhandledRejection', other);
    }
  });
});
