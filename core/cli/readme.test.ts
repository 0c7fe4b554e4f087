import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { commands } from './commands/index.ts';
import { usageOf } from './describe-commands.ts';

const readme = new URL('../../../core/cli/README.md', import.meta.url);

describe('core/cli/README.md', () => {
  it('lists every command once, with its operands, its summary and whether it prints JSON', async () => {
    const text = await readFile(readme, 'utf8');
    const table = /^\| Task .*\n\|[- |]+\n((?:\|.*\n)+)/m.exec(text)?.[1] ?? '';
    const rows = table
      .trim()
      .split('\n')
      .map((row) =>
        row
          .split('|')
          .slice(2, -1)
          .map((cell) => cell.trim()),
      );
    const expected = await Promise.all(
      commands.map(async (entry) => {
        const { options } = await entry.load();
        return [`\`${usageOf(entry)}\``, entry.summary, 'json' in options ? 'yes' : '–'];
      }),
    );
    expect(rows).to.have.deep.members(expected);
  });
});
