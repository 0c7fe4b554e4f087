import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Gateway } from '../../core/gateway.ts';
import { reconcile } from './reconcile.ts';

describe('reconcile', () => {
  it('handles every failed check, reports the first failure, and leaves no rejection unhandled', async () => {
    const unhandled: unknown[] = [];
    const record = (error: unknown): unknown => unhandled.push(error);
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', record);
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
      const releasing = setInterval(() => release.splice(0).forEach((end) => end()), 1);
      const failure = await run;
      // Unhandled rejections are reported in a later turn of the event loop.
      await new Promise((resolve) => setTimeout(resolve, 5));
      clearInterval(releasing);
      expect(failure).to.equal('claim 4');
      expect(unhandled).to.deep.equal([]);
    } finally {
      process.removeListener('unhandledRejection', record);
      for (const other of listeners) process.on('unhandledRejection', other);
    }
  });
});
