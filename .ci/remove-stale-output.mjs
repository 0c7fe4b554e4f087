/** Removes compiled files whose source is gone, so that the tests of a deleted or moved file do not run on. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const packages = ['core/contract', 'core/client', ...readdirSync('adapters').map((name) => join('adapters', name))];
const outputs = [
  { sources: '.', output: '.build' },
  ...packages.map((sources) => ({ sources, output: join(sources, 'dist') })),
];

for (const { sources, output } of outputs.filter(({ output }) => existsSync(output))) {
  for (const entry of readdirSync(output, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const source = join(sources, relative(output, path)).replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
    if (entry.isFile() && source.endsWith('.ts') && !existsSync(source)) rmSync(path);
    // What it says is built is not there any more.
    const config = join(sources, relative(output, entry.parentPath), 'tsconfig.json');
    if (entry.name === 'tsconfig.tsbuildinfo' && !existsSync(config)) rmSync(path);
  }
}
