import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readYaml } from '../../config/read-yaml.ts';
import { readMapping, SettlementProblem, type Mapping } from '../settlement/index.ts';

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
