/** The worst inputs found for each route, by name. `npm run fuzz:cost -- --write` adds to them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'prettier';
import { root } from '../support/start-gateway.ts';
import type { Input } from './inputs.ts';

const file = join(root, 'test/fuzz/corpus.json');

export async function readCorpus(): Promise<Input[]> {
  return JSON.parse(await readFile(file, 'utf8')) as Input[];
}

/** Adds the inputs that the corpus lacks. */
export async function addToCorpus(found: readonly Input[]): Promise<void> {
  const keyOf = ({ route, field, shape }: Input): string => JSON.stringify({ route, field, shape });
  const keys = new Set([...(await readCorpus()), ...found].map(keyOf));
  await writeFile(file, await format(`[${[...keys].sort().join(',')}]`, { parser: 'json', printWidth: 180 }));
}
