import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adaptersTable, withTable } from '../adapters-table.ts';
import { defineCommand } from '../command.ts';

export const adaptersTableCommand = defineCommand({
  options: { write: { type: 'boolean', help: 'put it into adapters/README.md' } },
  async run({ values, shell }) {
    if (!values.write) {
      shell.print(await adaptersTable(shell.root));
      return 0;
    }
    const path = join(shell.root, 'adapters/README.md');
    const guide = await readFile(path, 'utf8');
    const renewed = await withTable(guide, shell.root);
    if (renewed !== guide) await writeFile(path, renewed);
    shell.print(renewed === guide ? 'adapters/README.md is as it should be' : 'adapters/README.md is renewed');
    return 0;
  },
});
