/** Actions of operators on their saved filters. They change nothing for anybody else, so they are not audited. */
import type { ConsoleAction } from '../kit/action.ts';
import { queryOf } from '../../html/components/query.ts';
import { savedQueryOf } from './payments.ts';

const back = (): string => '/ops/payments';

/** The operator's name without the id of the key. */
function operatorOf(name: string): string {
  return name.replace(/ \([^()]*\)$/, '');
}

export const savedFilterActions: readonly ConsoleAction[] = [
  {
    path: '/ops/saved-filters',
    section: 'payments',
    role: 'support',
    label: 'Saving the filter',
    run: async ({ savedFilters }, by, _, { name = '', query = '' }) => {
      // Only names of filters are kept, whatever the form sends.
      const kept = savedQueryOf(queryOf({ query: Object.fromEntries(new URLSearchParams(query)) }));
      await savedFilters.save(operatorOf(by.name), { name, query: kept });
      return { done: `Filter “${name}” saved.`, isAudited: false };
    },
    back,
  },
  {
    path: '/ops/saved-filters/remove',
    section: 'payments',
    role: 'support',
    label: 'Deleting the filter',
    run: async ({ savedFilters }, by, _, { name = '' }) => {
      await savedFilters.remove(operatorOf(by.name), name);
      return { done: `Filter “${name}” deleted.`, isAudited: false };
    },
    back,
  },
];
