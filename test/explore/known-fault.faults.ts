/** The explorer finds a fault that is put into the product, and the printed seed repeats it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findPair } from './plan.ts';

const explorer = fileURLToPath(new URL('index.js', import.meta.url));

async function explore(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [explorer, ...args], { maxBuffer: 2 ** 26 }, (_, out) => {
      resolve({ code: child.exitCode ?? -1, out });
    });
  });
}

/** The violations of each failed order, without the payment's id, which differs each time. */
function readViolations(out: string): string[] {
  const found = out.matchAll(/^seed \d+: .*\n((?: {2}\S.*\n)+)/gm);
  return [...found].map(([, sentences = '']) => sentences.replace(/GW-\d+/g, 'GW'));
}

describe('a product that stores changes of payments without a comparison', function () {
  // The explorer uses a mongod of its own, and this machine may be busy.
  this.timeout(600_000);

  it('is found faulty by the explorer, whose seed repeats the fault, and passes without it', async () => {
    const fault = ['--fault', 'no-comparison'];
    // Two submissions that do not compare the version open two attempts concurrently.
    const pair = 1 + findPair('created', 'submit', 'submit another time');
    const { code, out } = await explore('--pairs', '1', '--from', String(pair), '--first', ...fault);
    expect(code, out).to.equal(1);
    const [, seed = ''] = /--seed (\d+) --fault no-comparison/.exec(out) ?? [];
    expect(seed, out).to.not.equal('');

    const again = await explore('--seed', seed, '--times', '2', ...fault);
    expect(again.out).to.match(/\n0 passed, 2 failed\n$/);
    const [found] = readViolations(out);
    expect(readViolations(again.out)).to.deep.equal([found, found]);
    expect(again.out).to.not.include('it differs');

    expect((await explore('--seed', seed)).out).to.match(/\n1 passed, 0 failed\n$/);
  });
});
