/** Finds names in config that no merchant has. Such a name opens nothing, and is usually a spelling mistake. */
import type { Connection } from 'mongoose';
import { didYouMean } from '../../base/text/nearest.ts';
import { ownerModel } from '../../database/collections/owner.ts';
import { notRemoved } from './owner-removal.ts';

interface NamedIn {
  readonly adapters: Readonly<
    Record<string, { readonly accounts?: Readonly<Record<string, { readonly merchants?: readonly string[] }>> }>
  >;
  readonly routes: readonly Rule[];
  readonly risk: readonly Rule[];
}

interface Rule {
  readonly when: { readonly merchant?: readonly string[] | undefined };
}

/** Returns one sentence for each unknown name, with the setting that has it. */
export async function findUnknownMerchants(connection: Connection, config: NamedIn): Promise<string[]> {
  const named = [...namesIn(config)];
  if (named.length === 0) return [];
  const known = new Set<string>(await ownerModel(connection).distinct('name', notRemoved));
  return named
    .filter(({ name }) => !known.has(name))
    .map(({ path, name }) => `${path}: there is no merchant "${name}"${didYouMean(name, [...known]) || '.'}`);
}

function* namesIn({ adapters, routes, risk }: NamedIn): Generator<{ readonly path: string; readonly name: string }> {
  for (const [adapter, { accounts = {} }] of Object.entries(adapters)) {
    for (const [account, { merchants = [] }] of Object.entries(accounts))
      for (const name of merchants) yield { path: `adapters.${adapter}.accounts.${account}.merchants`, name };
  }
  for (const [section, rules] of Object.entries({ routes, risk })) {
    for (const [at, { when }] of rules.entries())
      for (const name of when.merchant ?? []) yield { path: `${section}.${at}.when.merchant`, name };
  }
}
