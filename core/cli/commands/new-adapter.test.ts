import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { InputKind } from '@paywright/contract';
import { declineCodes } from '@paywright/contract/core';
import { readMutationFile } from '@paywright/contract/testing';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import prettier from 'prettier';
import { AdapterLoadError, loadAdapters, type AdapterEntry, type LoadedAdapter } from '../../engine/providers/index.ts';
import { UsageError } from '../command.ts';
import { toShell, type Terminal } from '../run-command.ts';
import { parseCommand } from '../parse-command.ts';
import { sampleOptions } from '../scaffold/vectors.ts';
import { commands } from './index.ts';

const runFile = promisify(execFile);
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const kinds: readonly InputKind[] = ['card', 'billing', 'token', 'upi'];
const upiCodes = declineCodes.filter((code) => code.startsWith('U'));
/** Cards are asked for 3D Secure: one decision and two files more. */
const hasChallenge = (kind: InputKind): boolean => kind === 'card' || kind === 'token';

/** The decisions made as the suggestions have them: in the built file, for the sources do not compile without. */
const done = 'export const undecided = {};\nexport const decide = (_open, suggestion) => suggestion;\n';

interface Ran {
  readonly code: number;
  readonly out: string;
}

/** Runs a program of node_modules; a non-zero end is no error. */
async function runTool(script: string, words: readonly string[], cwd: string): Promise<Ran> {
  return runFile(process.execPath, [join(root, 'node_modules', script), ...words], { cwd }).then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, out: stdout }),
  );
}
const compile = async (folder: string): Promise<Ran> => runTool('typescript/bin/tsc', ['-p', folder], folder);

interface Tested {
  readonly passes: readonly { readonly title: string }[];
  readonly failures: readonly { readonly title: string; readonly err: { readonly message: string } }[];
}

async function test(folder: string): Promise<Tested> {
  const words = ['--no-config', '--exit', '--reporter', 'json', 'dist/test/**/*.test.js'];
  return JSON.parse((await runTool('mocha/bin/mocha.js', words, folder)).out) as Tested;
}

async function make(words: readonly string[], gatewayRoot = root): Promise<Ran> {
  const out: string[] = [];
  const terminal: Terminal = { env: {}, root: gatewayRoot, print: (line) => out.push(line), stderr: () => undefined };
  const { command, values, operands } = await parseCommand(['new-adapter', ...words], commands);
  const code = await command.run({ values, operands, shell: toShell(terminal) });
  return { code, out: out.join('\n') };
}

describe('new-adapter', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'new-adapter-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const kind of kinds) await make([`acme-${kind}`, '--input', kind, '--into', folder]);
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  const home = (kind: InputKind): string => join(folder, `acme-${kind}`);
  const sentences = async (kind: InputKind): Promise<Record<string, string>> => {
    const { undecided } = (await import(join(home(kind), 'dist/undecided.js'))) as {
      undecided: Record<string, string>;
    };
    return undecided;
  };

  for (const kind of kinds) {
    it(`writes an adapter for ${kind} that compiles, and whose tests fail once for each decision`, async () => {
      expect(await compile(home(kind))).to.deep.equal({ code: 0, out: '' });
      expect(readMutationFile(home(kind)).mutations).to.have.length(25);
      const { passes, failures } = await test(home(kind));
      const undecided = Object.entries(await sentences(kind));
      expect(undecided).to.have.length(hasChallenge(kind) ? 16 : 15);
      expect(failures.map(({ title }) => title)).to.deep.equal(undecided.map(([name]) => `undecided: ${name}`));
      for (const [at, [name, sentence]] of undecided.entries()) {
        expect(failures[at]?.err.message).to.equal(
          `Not decided yet, ${sentence}\nCure: decide it, delete \`${name}\` from \`undecided\`, and let the compiler show what still depends on it`,
        );
      }
      expect(passes.length).to.be.greaterThan(70);
    });

    it(`writes the files of every adapter, with their tests: ${kind}`, async () => {
      const there = (await readdir(home(kind), { recursive: true })).filter((path) => path.endsWith('.ts'));
      const sources = there.filter((path) => !/^(dist|node_modules|vendor)|\/(dist|node_modules)\//.test(path));
      const wanted = ['index', 'options', 'statuses', 'submit', 'fetch-status', 'refund', 'wire', 'signing'];
      const challenge = ['complete.ts', 'sandbox/challenge.ts'];
      const named = [
        ...wanted,
        `callbacks/acme-${kind}`,
        'sandbox/index',
        'test/conformance.test',
        'test/sandbox/index.test',
      ];
      expect(sources).to.include.members(named.map((name) => `${name}.ts`));
      expect(sources.filter((path) => challenge.includes(path))).to.have.members(hasChallenge(kind) ? challenge : []);
    });

    it(`writes formatted files that contain only the new name: ${kind}`, async () => {
      const entries = await readdir(home(kind), { recursive: true, withFileTypes: true });
      const files = entries.filter(
        (entry) => entry.isFile() && entry.name !== '.gitignore' && !/dist|fixtures|vendor/.test(entry.parentPath),
      );
      expect(files).to.have.length(hasChallenge(kind) ? 24 : 22);
      for (const { parentPath, name } of files) {
        const filepath = join(parentPath, name);
        const text = await readFile(filepath, 'utf8');
        const modules = [...text.matchAll(/^(?:import|\}) .*from '([^']+)';$/gm)].map(([, from]) => from);
        expect(modules, filepath).to.deep.equal([...new Set(modules)]);
        expect(text, filepath).to.not.match(/new-?\s?provider|\/\/:|\/\/ (for:|end)/i);
        const style = await prettier.resolveConfig(join(root, 'index.ts'));
        expect(await prettier.check(text, { ...style, filepath }), filepath).to.equal(true);
      }
    });
  }

  it('writes samples that match the input: for UPI, rupees, a payer in India and UPI codes', async () => {
    const samples = JSON.parse(await readFile(join(home('upi'), 'fixtures/vectors.json'), 'utf8')) as {
      readonly submissions: readonly {
        readonly payment: Readonly<Record<string, unknown>>;
        readonly expect: { readonly decline?: string };
      }[];
    };
    for (const { payment } of samples.submissions) expect(payment).to.include({ unit: 'INR', country: 'IN' });
    const declines = samples.submissions.flatMap(({ expect: { decline } }) => (decline ? [decline] : []));
    expect(declines).to.deep.equal(['U30']);
    const statuses = await readFile(join(home('upi'), 'statuses.ts'), 'utf8');
    expect([...statuses.matchAll(/'(U\d\d|\d\d)'/g)].map(([, code]) => code)).to.have.members(upiCodes);
  });

  const load = async (name: string, from: string): Promise<LoadedAdapter[]> => {
    const options = { ...sampleOptions(name), sandboxBaseUrl: 'http://127.0.0.1:9' };
    const entry: AdapterEntry = { name, package: name, state: 'on', options, from };
    return loadAdapters([entry], { gatewayRoot: from, environment: 'test', isProduction: false });
  };

  it('writes an adapter from an installed gateway, which has no folder of adapters', async () => {
    const installed = join(folder, 'installed-gateway');
    await mkdir(installed);
    await symlink(join(root, 'core'), join(installed, 'core'));
    await symlink(join(root, 'package.json'), join(installed, 'package.json'));
    expect(await make(['acme-away', '--into', folder], installed)).to.include({ code: 0 });
    expect(await readdir(join(folder, 'acme-away/vendor'))).to.deep.equal(['paywright-contract.tgz']);
  });

  it('writes an adapter that the loader refuses until all decisions are made', async () => {
    const place = join(folder, 'installed');
    await mkdir(join(place, 'node_modules'), { recursive: true });
    await symlink(home('card'), join(place, 'node_modules/acme-card'));
    const refused: unknown = await load('acme-card', place).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(AdapterLoadError);
    expect((refused as AdapterLoadError).problems).to.deep.equal(
      Object.entries(await sentences('card')).map(([name, says]) => `acme-card: manifest.undecided.${name}: ${says}`),
    );

    await make(['acme-done', '--into', folder]);
    await compile(join(folder, 'acme-done'));
    await writeFile(join(folder, 'acme-done/dist/undecided.js'), done);
    await symlink(join(folder, 'acme-done'), join(place, 'node_modules/acme-done'));
    const [loaded] = await load('acme-done', place);
    expect(loaded?.adapter?.manifest).to.include({ name: 'acme-done', title: 'Acme Done' });
  });

  it('writes an adapter whose tests can be judged by faults on purpose', async () => {
    const home = join(folder, 'acme-judged');
    await make(['acme-judged', '--into', folder]);
    await compile(home);
    await writeFile(join(home, 'dist/undecided.js'), done);
    const readme = await readFile(join(home, 'README.md'), 'utf8');
    await writeFile(join(home, 'README.md'), readme.replaceAll(/^To decide: /gm, 'Decided: '));
    const judged = await runTool('@paywright/contract/bin/mutate-adapter.mjs', ['--only', 'stale-accepted'], home);
    expect(judged.out).to.match(/ stale-accepted +signing\.js +rule .*\n\n1 faults: the rules alone caught 1 \(100/);
    expect(judged.code).to.equal(0);
  });

  it('writes an adapter that does not compile if a decision is deleted but its suggestion stays', async () => {
    const file = join(home('card'), 'undecided.ts');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/ {2}proof:\s+'[^']*',\n/, ''));
    const { code, out } = await compile(home('card'));
    expect(code).to.not.equal(0);
    expect(out.trim().split('\n')).to.have.length(1);
    expect(out).to.match(/^signing\.ts\(\d+,\d+\): error TS2339: Property 'proof' does not exist/);
    await writeFile(file, text);
  });

  it('prints the next steps, and uses the given code', async () => {
    const { code, out } = await make(['my-bank', '--code', '59', '--into', folder]);
    expect(code).to.equal(0);
    expect(out).to.match(/my-bank: 26 files, provider code 59, input card\n/);
    expect(out).to.match(/ {2}cd \S+my-bank && npm install && npm test\n/);
    expect(out).to.contain("my-bank:\n      package: '@paywright/my-bank'\n      state: on\n");
    const index = await readFile(join(folder, 'my-bank/index.ts'), 'utf8');
    expect(index).to.match(/title: decide\(undecided\.manifest, 'My Bank'\),\n {4}code: 59,/);
    expect(await readFile(join(folder, 'my-bank/callbacks/my-bank.ts'), 'utf8')).to.contain("path: 'myBank',");
    const written = JSON.parse(await readFile(join(folder, 'my-bank/package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    expect(written.dependencies).to.deep.equal({ '@paywright/contract': 'file:vendor/paywright-contract.tgz' });
    expect(await readdir(join(folder, 'my-bank/vendor'))).to.deep.equal(['paywright-contract.tgz']);
    expect(written.devDependencies).to.include.keys('typescript', 'mocha', 'chai', '@types/node');
  });

  it('writes the given title in every place where people read the name', async () => {
    const { code } = await make(['wechat-pay', '--title', 'WeChat Pay', '--into', folder]);
    expect(code).to.equal(0);
    const there = await readdir(join(folder, 'wechat-pay'), { recursive: true, withFileTypes: true });
    const files = there.filter((entry) => entry.isFile() && !entry.parentPath.includes('vendor'));
    const texts = await Promise.all(
      files.map(async ({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
    );
    expect(texts.filter((text) => text.includes('Wechat Pay'))).to.deep.equal([]);
    expect(texts.filter((text) => text.includes('WeChat Pay'))).to.have.length.above(14);
    expect(await readFile(join(folder, 'wechat-pay/index.ts'), 'utf8')).to.contain(
      "title: decide(undecided.manifest, 'WeChat Pay'),",
    );
  });

  it('writes the range of the contract that the templates were written for', async () => {
    expect(await readFile(join(home('card'), 'index.ts'), 'utf8')).to.contain("contract: '^2.1',");
  });

  for (const kind of kinds) {
    it(`guarantees in submit the payer fields that the manifest lists, and no other: ${kind}`, async () => {
      const file = join(home(kind), 'submit.ts');
      const text = await readFile(file, 'utf8');
      const use = (field: string): string =>
        `export const ${field} = ({ payer }: Parameters<typeof submit>[0]) => payer.${field}.length;\n`;
      await writeFile(file, text + use('email') + use('phoneNumber'));
      const { out } = await compile(home(kind));
      await writeFile(file, text);
      expect(out.trim().split('\n')).to.have.length(1);
      expect(out).to.match(/^submit\.ts\(\d+,\d+\): error TS18048: 'payer\.phoneNumber' is possibly 'undefined'\./);
    });
  }

  it('uses the last free code outside the repository, and the first free code inside', async () => {
    const { out } = await make(['shop-pay', '--into', folder, '--scope', '@ourshop']);
    expect(out).to.contain('provider code 59,').and.contain('a free code of 11 to 18 or 26 to 59.');
    expect(out).to.contain("package: '@ourshop/shop-pay'\n");
    const readme = await readFile(join(folder, 'shop-pay', 'README.md'), 'utf8');
    expect(readme)
      .to.match(/^# @ourshop\/shop-pay\n/)
      .and.contain('`@ourshop/shop-pay/sandbox`');
    expect(readme).to.not.contain('@paywright/shop-pay');
    const house = join(folder, 'codes');
    await mkdir(join(house, 'adapters'), { recursive: true });
    await symlink(join(root, 'core'), join(house, 'core'));
    expect((await make(['shop-pay'], house)).out).to.contain('provider code 11,');
  });

  it('links an adapter in the repository as npm links a workspace', async () => {
    const house = join(folder, 'house');
    await mkdir(join(house, 'node_modules/@paywright'), { recursive: true });
    await mkdir(join(house, 'adapters'));
    await symlink(join(root, 'core'), join(house, 'core'));
    const { out } = await make(['acme'], house);
    expect(out).to.contain('npm test -w @paywright/acme').and.not.contain('npm install\n');
    expect(await readlink(join(house, 'node_modules/@paywright/acme'))).to.equal('../../adapters/acme');
    const read = async (path: string): Promise<Record<string, unknown>> =>
      JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    const model = join(root, 'adapters/provider-a');
    const [ours, theirs] = [await read(join(house, 'adapters/acme/package.json')), await read(`${model}/package.json`)];
    for (const same of Object.keys(theirs).filter(
      (key) => !['name', 'version', 'description', 'peerDependencies'].includes(key),
    )) {
      expect(ours[same], same).to.deep.equal(theirs[same]);
    }
    expect(Object.keys(ours)).to.deep.equal(Object.keys(theirs));
    // The templates use what this version of the contract added.
    expect(ours['peerDependencies']).to.deep.equal({ '@paywright/contract': '^2.1.0' });
    expect(await readFile(join(house, 'adapters/acme/tsconfig.json'), 'utf8')).to.equal(
      await readFile(`${model}/tsconfig.json`, 'utf8'),
    );
  });

  const form =
    'The name must have 1 to 40 characters a–z, 0–9 and single dashes, and start with a letter, for example my-bank.';
  for (const [problem, ...words] of [
    [form, 'Acme'],
    [form, '3ds'],
    [form, 'acme-'],
    [form, '../acme'],
    [form, 'a'.repeat(41)],
    ['@paywright/contract is a package of the gateway: choose another name.', 'contract'],
    [
      '--title must have 1 to 40 letters, digits, spaces and characters of . , & + ( ) -, for example "WeChat Pay".',
      'acme',
      '--title',
      "Acme's",
    ],
    ['--input must be one of card, billing, token, upi.', 'acme', '--input', 'cash'],
    ['--code must be 11 to 18 or 26 to 59.', 'acme', '--code', '19'],
    ['--code must be 11 to 18 or 26 to 59.', 'acme', '--code', '21'],
    ['--code must be 11 to 18 or 26 to 59.', 'acme', '--code', '012'],
    ['--scope requires --into: packages of the repository have the scope @paywright.', 'acme', '--scope', '@ourshop'],
    ['--scope must be an npm scope, for example @ourshop.', 'acme', '--into', tmpdir(), '--scope', 'ourshop'],
    ['Provider code 11 is used by provider-a: choose another code.', 'acme', '--code', '11'],
    ['adapters/provider-a already exists: choose another name, or remove the folder first.', 'provider-a'],
  ] as const) {
    it(`refuses in one sentence: ${words.join(' ')}`, async () => {
      const error: unknown = await make(words).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(UsageError).with.property('message', problem);
    });
  }
});
