/** A mocha suite for a vectors file. */
import type { ProviderAdapter } from '../adapter.ts';
import type { VectorOptions } from './play-vector.ts';
import { listVectors } from './run-vectors.ts';

/**
 * Defines one test per vector. Each fails with its differences in words. Uses the `describe` and `it` of the running
 * mocha.
 */
export function describeVectors<Options>(
  adapter: ProviderAdapter<Options>,
  file: unknown,
  options: VectorOptions<Options> = {},
): void {
  describe(`vectors of ${adapter.manifest.name}`, () => {
    for (const vector of listVectors(adapter, file, options)) {
      it(`${vector.call}: ${vector.name}`, async () => {
        const { passed, differences } = await vector.run();
        if (!passed) throw new Error(differences.join('\n'));
      });
    }
  });
}
