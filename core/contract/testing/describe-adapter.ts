/** The conformance kit as a mocha suite: one call proves an adapter. */
import type { ProviderAdapter } from '../adapter.ts';
import { checks } from './conformance/index.ts';
import { Skipped, type Check, type Kit } from './conformance/kit.ts';
import { describeVectors } from './describe-vectors.ts';

/** Runs all vectors and all checks. Uses the `describe` and `it` of the running mocha. */
export function describeAdapter<Options>(adapter: ProviderAdapter<Options>, kit: Kit<Options>): void {
  describeVectors(adapter, kit.vectors, kit.vectorOptions);
  describe(`conformance of ${adapter.manifest.name}`, function () {
    // A check tries a callback a few thousand times, and public keys are slow.
    this.timeout(120_000);
    for (const check of checks(adapter, kit)) defineTest(check);
  });
}

/** A check that can prove nothing becomes a pending test, and its title says why. */
function defineTest({ rule, title, run }: Check): void {
  const name = `${rule}: ${title}`;
  it(name, async function () {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof Skipped)) throw error;
      this.test!.title = `${name} (skipped: ${error.message})`;
      this.skip();
    }
  });
}
