/**
 * Gives a collection its rule. A start only ever widens the rule that it finds, so that it takes what any version has
 * stored that ran on the database: versions of one schema version may start in any order, also when an upgrade is taken
 * back, and no write of theirs is refused. That is why the rule can refuse, and not only warn: what it refuses is a fault.
 * A document that did not fit before may still be changed, so that nobody's money is held up by what is stored already.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Connection, Model } from 'mongoose';
import type { Logger } from 'pino';
import { ruleOf, widen, type Rule, type SchemaPaths } from './rule.ts';

export interface RuledModel extends Pick<Model<unknown>, 'collection' | 'createCollection'> {
  readonly schema: SchemaPaths;
}

/** The rules of the collections that are there; undefined: it has none. */
export type Rules = ReadonlyMap<string, Rule | undefined>;

export async function readRules({ db }: Connection): Promise<Rules> {
  const found = await db!.listCollections({ type: 'collection' }, { nameOnly: false }).toArray();
  return new Map(
    found.map(({ name, options }) => [name, options?.['validator']?.['$jsonSchema'] as Rule | undefined] as const),
  );
}

/** Makes the collection where there is none. */
export async function ensureRule(
  { db }: Connection,
  model: RuledModel,
  present: Rules,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const { collectionName } = model.collection;
  const own: Rule = { title: collectionName, ...ruleOf(model.schema) };
  if (!present.has(collectionName)) {
    await model.createCollection(validation(own));
    return;
  }
  const before = present.get(collectionName);
  // A rule without our title is somebody else's, and cannot be widened to one of ours.
  const wanted = before?.title === collectionName ? widen(before, own) : own;
  if (isDeepStrictEqual(wanted, before)) return;
  try {
    await db!.command({
      collMod: collectionName,
      ...validation(wanted),
      writeConcern: { w: 'majority', wtimeout: 60_000 },
    });
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    const cure = 'give it the role dbAdmin of this database beside readWrite, and start again';
    if (before)
      throw new Error(
        `${collectionName} refuses what this version stores, and the database's user may not change its rule (collMod): ${cure}`,
        { cause: error },
      );
    log.warn(
      { collection: collectionName },
      `the database does not check what is stored, because its user may not set rules (collMod): ${cure}`,
    );
  }
}

function validation(rule: Rule) {
  return { validator: { $jsonSchema: rule }, validationLevel: 'moderate', validationAction: 'error' } as const;
}

function isUnauthorized(error: unknown): boolean {
  return (error as { readonly codeName?: unknown }).codeName === 'Unauthorized';
}
