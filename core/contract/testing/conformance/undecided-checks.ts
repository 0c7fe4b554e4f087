/** Checks for decisions that a scaffold left to its author. */
import type { ProviderAdapter } from '../../adapter.ts';
import { Finding, undecidedRule, type Check, type Kit } from './kit.ts';

/** One failing check per open decision; none for an adapter that has decided everything. */
export function undecidedChecks<Options>({ manifest }: ProviderAdapter<Options>, kit: Kit<Options>): Check[] {
  const { undecided = {} } = manifest;
  const open = Object.entries(undecided).map(([name, sentence]) => ({
    rule: undecidedRule,
    title: name,
    async run() {
      throw new Finding(
        sentence,
        `decide it, delete \`${name}\` from \`undecided\`, and let the compiler show what still depends on it`,
      );
    },
  }));
  // If the README is an open decision, that check reports it already.
  return 'readme' in undecided || kit.readme === undefined ? open : [...open, readmeCheck(kit.readme)];
}

function readmeCheck(readme: string): Check {
  return {
    rule: undecidedRule,
    title: 'leaves nothing to decide in the README',
    async run() {
      const left = readme.split('\n').filter((line) => line.startsWith('To decide'));
      if (left.length === 0) return;
      throw new Finding(
        `README.md still says: ${left.join(' | ')}`,
        'replace each line that begins with "To decide" with what an operator must know',
      );
    },
  };
}
