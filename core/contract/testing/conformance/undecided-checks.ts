/** What a scaffold left for its author to decide. */
import type { ProviderAdapter } from '../../adapter.ts';
import { Finding, type Check } from './kit.ts';

/** One failing check per open decision; none for an adapter that has decided everything. */
export function undecidedChecks<Options>({ manifest }: ProviderAdapter<Options>): Check[] {
  return Object.entries(manifest.undecided ?? {}).map(([name, sentence]) => ({
    rule: 'undecided',
    title: name,
    async run() {
      throw new Finding(
        sentence,
        `decide it, delete \`${name}\` from \`undecided\`, and let the compiler show what still rests on it`,
      );
    },
  }));
}
