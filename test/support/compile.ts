/** Compiles TypeScript that an author of an adapter would write, with strict options and without any output. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './start-gateway.ts';

const runFile = promisify(execFile);

/** The options for all modules of the folder. */
export async function writeTypeScriptConfig(folder: string): Promise<void> {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
}

/** What the compiler says about the modules of the folder: empty if they compile. */
export async function compileFolder(folder: string): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return runFile(process.execPath, [tsc, '-p', folder]).then(
    () => '',
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
}

/** Names that a declaration file exports, including those of the modules that it exports completely. */
export async function exportedNamesOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  const modules = [...text.matchAll(/^export \* from '(.+)\.[jt]s';$/gm)].map(([, path]) => `${path}.d.ts`);
  const texts = await Promise.all(modules.map(async (path) => readFile(join(dirname(file), path), 'utf8')));
  return [...new Set([text, ...texts].flatMap(exportedBy))];
}

export function exportedBy(text: string): string[] {
  const declared = [...text.matchAll(/^export (?:declare )?(?:interface|type|const|function|class) (\w+)/gm)];
  const passedOn = [...text.matchAll(/^export \* as (\w+)/gm)];
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/(\w+)\s*(?:,|$)/g)].map(([, name = '']) => name),
  );
  return [...[...declared, ...passedOn].map(([, name = '']) => name), ...listed];
}
