import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readYaml } from '../base/text/read-yaml.ts';
import { readMapping, type Mapping } from './mapping.ts';
import { SettlementProblem } from './problem.ts';

/** Rejects with a SettlementProblem. */
export async function readMappingFile(file: string): Promise<Mapping> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SettlementProblem([`${file}: cannot be read (${error.code ?? 'no file'})`]);
  });
  return parseMapping(text, basename(file));
}

/** Reads a mapping from YAML text. Throws a SettlementProblem that names the file. */
export function parseMapping(text: string, name: string): Mapping {
  const { value, problems } = readYaml(text);
  if (problems.length > 0) throw new SettlementProblem(problems.map((problem) => `${name}: ${problem}`));
  return readMapping(value, name);
}

const examples = new URL('../../../config/examples/settlement/', import.meta.url);

/** The mapping that the gateway comes with for an adapter. Undefined: there is none. */
export async function readExampleMapping(adapter: string): Promise<Mapping | undefined> {
  if (!/^[a-z\d-]{1,60}$/.test(adapter)) return undefined;
  const file = new URL(`${adapter}.yaml`, examples);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseMapping(text, basename(file.pathname));
}
