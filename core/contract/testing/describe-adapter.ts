/** The conformance kit as a mocha suite: one call proves an adapter. */
import type { ProviderAdapter } from '../adapter.ts';
import { checks } from './conformance/index.ts';
import type { Kit } from './conformance/kit.ts';
import { describeVectors } from './describe-vectors.ts';

/** Runs all vectors and all checks. Uses the `describe` and `it` of the running mocha. */
export function describeAdapter<Options>(adapter: ProviderAdapter<Options>, kit: Kit<Options>): void {
  describeVectors(adapter, kit.vectors, kit.vectorOptions);
  describe(`conformance of ${adapter.manifest.name}`, function () {
    // A check tries a callback a few thousand times, and public keys are slow.
    this.timeout(120_000);
    for (const { rule, title, isSkipped, run } of checks(adapter, kit))
      it(`${rule}: ${title}`, isSkipped ? undefined : run);
  });
}
