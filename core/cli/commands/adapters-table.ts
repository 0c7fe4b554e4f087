import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adaptersTable, readAdapterRows, withTable } from '../adapters-table.ts';
import { defineCommand } from '../command.ts';
import { json, printResult } from '../json.ts';

export const adaptersTableCommand = defineCommand({
  options: {
    write: { type: 'boolean', help: 'write it to adapters/README.md' },
    json: { ...json, help: 'print JSON: an object per adapter; with --write, whether the file was updated' },
  },
  async run({ values, shell }) {
    if (!values.write) {
      const { root } = shell;
      shell.printText(values.json ? JSON.stringify(await readAdapterRows(root)) : await adaptersTable(root));
      return 0;
    }
    const path = join(shell.root, 'adapters/README.md');
    const guide = await readFile(path, 'utf8');
    const renewed = await withTable(guide, shell.root);
    if (renewed !== guide) await writeFile(path, renewed);
    const isRenewed = renewed !== guide;
    const words = `adapters/README.md ${isRenewed ? 'was updated' : 'is up to date'}`;
    printResult(shell, values, { isRenewed }, words);
    return 0;
  },
});
