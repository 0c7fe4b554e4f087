/** Writes the generated parts of the merchant's guide. */
import { writeFile } from 'node:fs/promises';
import { renderGuidePages } from './generated-parts.ts';

for (const [path, text] of Object.entries(await renderGuidePages())) {
  await writeFile(path, text);
  process.stdout.write(`${path}\n`);
}
