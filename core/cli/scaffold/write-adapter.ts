/** Writes the package of a new adapter: an invented protocol on both sides, with the open decisions. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fillTemplate, type Filling } from './fill-template.ts';
import { sampleMutations } from './mutations.ts';
import { templateNames } from './names.ts';
import { gitignore, packageJson, packageName, tsconfigJson, type Home } from './package-files.ts';
import { sampleVectors } from './vectors.ts';

export interface NewAdapter extends Filling {
  /** The folder of the package; it must not exist. */
  readonly folder: string;
  readonly home: Home;
  /** The gateway's folder. */
  readonly root: string;
}

/** Returns the paths of the written files, relative to the folder of the package. */
export async function writeAdapter({ folder, home, root, ...filling }: NewAdapter): Promise<string[]> {
  const template = join(root, 'core/cli/scaffold/new-provider');
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    // The tests of the templates do not run here: they fail by design.
    const path = relative(template, from)
      .replace(/^test\/(.*)\.ts$/, 'test/$1.test.ts')
      .replace(templateNames.name, filling.names.name);
    const content = fillTemplate(await readFile(from, 'utf8'), filling).replaceAll(
      `@paywright/${filling.names.name}`,
      packageName(filling.names, home),
    );
    if (content.trim() !== '') files.set(path, content);
  }
  files.set('fixtures/vectors.json', sampleVectors(filling.names, filling.kind));
  files.set('test/mutations.json', sampleMutations(filling.names));
  files.set('package.json', packageJson(filling.names, home));
  files.set('tsconfig.json', tsconfigJson(home));
  if (!home.inside) files.set('.gitignore', gitignore);

  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder);
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content, { flag: 'wx' });
  }
  return [...files.keys()].sort();
}
