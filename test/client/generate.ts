/** Writes what core/client has of the interface's document. */
import { writeFile } from 'node:fs/promises';
import { renderGeneratedFiles } from './generated-files.ts';

for (const [path, text] of Object.entries(await renderGeneratedFiles())) {
  await writeFile(path, text);
  process.stdout.write(`${path}\n`);
}
