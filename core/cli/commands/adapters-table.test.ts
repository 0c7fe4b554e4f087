import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { toShell } from '../run-command.ts';
import { parseCommand } from '../parse-command.ts';
import { commands } from './index.ts';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));

describe('adapters table', () => {
  let root: string;
  let guide: string;
  let home: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'adapters-table-'));
    guide = join(root, 'adapters/README.md');
    home = join(root, 'adapters/upi');
    await mkdir(join(root, 'node_modules/@paywright'), { recursive: true });
    await mkdir(join(root, 'adapters/nothing-here'), { recursive: true });
    await mkdir(home);
    await symlink(join(repository, 'adapters/upi'), join(root, 'node_modules/@paywright/upi'));
    await cp(join(repository, 'adapters/upi/package.json'), join(home, 'package.json'));
  });
  beforeEach(async () => {
    await cp(join(repository, 'adapters/README.md'), guide);
    await writeFile(join(home, 'index.ts'), '/**\n * A switch: it\n * switches. Protocol: README.md\n */\n');
  });
  after(async () => rm(root, { recursive: true, force: true }));

  async function run(...words: string[]): Promise<string> {
    const out: string[] = [];
    const shell = { env: {}, root, print: (line: string) => out.push(line), stderr: () => undefined };
    const { command, values, operands } = await parseCommand(['adapters', 'table', ...words], commands);
    expect(await command.run({ values, operands, shell: toShell(shell) })).to.equal(0);
    return out.join('\n');
  }

  it('prints the same as JSON', async () => {
    const [row] = JSON.parse(await run('--json')) as readonly Record<string, unknown>[];
    expect(row).to.deep.include({ adapter: 'upi', style: 'A switch: it switches.' });
    expect(row!['code']).to.be.a('number');
    expect(JSON.parse(await run('--write', '--json'))).to.have.keys('isRenewed');
  });

  const refusal = async (...words: string[]): Promise<string> =>
    run(...words).catch((error: unknown) => (error as Error).message);

  it('prints a row and a sentence for each package', async () => {
    expect(await run()).to.match(
      /^\| adapter +\| code \|.*\n\| -+ .*\n\| \[upi\]\(upi\/README\.md\) \| 31 +\| upi +\| upi_collect, upi_intent, upi_qr \| POST upi \| fetchStatus, refund \|\n\n- \*\*upi\*\*: A switch: it switches\.$/,
    );
  });

  it('writes the table to the guide once', async () => {
    expect(await run('--write')).to.equal('adapters/README.md was updated');
    const renewed = await readFile(guide, 'utf8');
    expect(renewed).to.contain('A switch: it switches.').and.not.contain('**provider-a**');
    expect(renewed).to.contain('## Real providers');
    expect(await run('--write')).to.equal('adapters/README.md is up to date');
  });

  it('names what is missing', async () => {
    await writeFile(join(home, 'index.ts'), 'export default 1;\n');
    expect(await refusal()).to.match(/^adapters\/upi\/index\.ts must start with a comment that describes the adapter/);
    await writeFile(guide, 'no markers');
    expect(await refusal('--write')).to.match(/^adapters\/README\.md must contain the lines <!-- made by/);
    await writeFile(join(home, 'package.json'), '{ "name": "@paywright/unbuilt" }');
    expect(await refusal()).to.equal('adapters/upi is not built, or cannot be imported: npm run build');
  });
});
