/** Filters that an operator saved for the list of payments. They are few and short, and never name a payer. */
import type { Connection } from 'mongoose';
import { invalidField } from '../../base/errors.ts';
import { savedFiltersModel, type SavedFilter } from '../../database/collections/saved-filters.ts';

export type { SavedFilter } from '../../database/collections/saved-filters.ts';

export interface SavedFilters {
  /** In the order in which they were saved. */
  list(operator: string): Promise<readonly SavedFilter[]>;
  /**
   * Saves the filter. It replaces a filter of the same name. Throws VAL002 for a name or a query that is not valid, and
   * if the operator has too many filters.
   */
  save(operator: string, filter: SavedFilter): Promise<void>;
  /** May be repeated. */
  remove(operator: string, name: string): Promise<void>;
}

export const maxSavedFilters = 20;
const maxName = 40;
const maxQuery = 500;

export function createSavedFilters(connection: Connection): SavedFilters {
  const model = savedFiltersModel(connection);

  async function list(operator: string): Promise<readonly SavedFilter[]> {
    return (await model.findById(operator).lean())?.filters ?? [];
  }

  return {
    list,
    async save(operator, { name, query }) {
      if (name.trim() !== name || name === '' || name.length > maxName)
        throw invalidField('name', name, `must be a name of 1 to ${maxName} characters`);
      if (query === '') throw invalidField('name', name, 'needs a filter: choose at least one value first');
      if (query.length > maxQuery) throw invalidField('query', '', `must have at most ${maxQuery} characters`);
      const others = (await list(operator)).filter((one) => one.name !== name);
      if (others.length >= maxSavedFilters)
        throw invalidField('name', name, `cannot be saved: ${maxSavedFilters} filters are saved; delete one first`);
      await model.updateOne({ _id: operator }, { $set: { filters: [...others, { name, query }] } }, { upsert: true });
    },
    async remove(operator, name) {
      await model.updateOne({ _id: operator }, { $pull: { filters: { name } } });
    },
  };
}
