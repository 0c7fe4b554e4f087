/** The seed that the explorer prints repeats an order: the same messages in the same order. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pairSeed } from './plan.ts';

const run = promisify(execFile);
const explorer = fileURLToPath(new URL('index.js', import.meta.url));

describe('an order of the explorer', function () {
  // The explorer uses a mongod of its own, and this machine may be busy.
  this.timeout(180_000);

  for (const [what, seed] of [
    ['of random messages', 12],
    ['of a pair', pairSeed(1, 1, 4)],
    ['of a pair, with a turn back', pairSeed(40, 1, 3, 2)],
  ] as const) {
    it(`repeats under its seed when it is one ${what}`, async () => {
      const { stdout } = await run(process.execPath, [explorer, '--seed', String(seed), '--times', '3']);
      expect(stdout).to.match(/\n3 orders in /);
      expect(stdout).to.match(/\n3 passed, 0 failed\n$/);
    });
  }
});
