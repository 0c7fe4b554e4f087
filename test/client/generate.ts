/** Writes the files of core/client that are generated from the OpenAPI document. */
import { writeFile } from 'node:fs/promises';
import { renderGeneratedFiles } from './generated-files.ts';

for (const [path, text] of Object.entries(await renderGeneratedFiles())) {
  await writeFile(path, text);
  process.stdout.write(`${path}\n`);
}
