/** Compares what adapters/README.md, the pages in adapters/guide/ and each adapter's README promise with the code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { listAdapterPackages, type AdapterPackage } from '../core/engine/providers/load/adapter-packages.ts';
import { withTable } from '../core/cli/adapters-table.ts';
import { commands } from '../core/cli/commands/index.ts';
import { parseCommand } from '../core/cli/parse-command.ts';
import { undecided } from '../core/cli/scaffold/new-provider/undecided.ts';
import { root } from './support/start-gateway.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const index = 'adapters/README.md';
/** The index first, then the other pages. */
const pages = [
  index,
  ...readdirSync(join(root, 'adapters/guide'))
    .toSorted()
    .map((name) => `adapters/guide/${name}`),
];
const guide = pages.map(read).join('\n');

/** Each fenced code block with the path that the comment above it names. */
const excerpts = [...guide.matchAll(/<!-- ([\w/.-]+\.ts) -->\n\n```ts\n([^]*?)\n```/g)].map(
  ([, path = '', code = '']) => {
    return { path: `adapters/${path}`, code };
  },
);
const shellLines = (text: string): string[] =>
  [...text.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));

/** Splits a line into words as a shell does. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** The anchors of a page's headings. */
const headingsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

describe('the guide for adapter authors', () => {
  it('contains the table that is generated from the manifests', async () => {
    const page = read(index);
    expect(page, 'update it: npx paywright adapters table --write').to.equal(await withTable(page, root));
  });

  it('shows the code of provider C unchanged', () => {
    expect(excerpts.length).to.be.greaterThan(10);
    for (const { path, code } of excerpts) {
      expect(read(path).includes(code), `${path} no longer has:\n${code}`).to.equal(true);
    }
  });

  it('explains all of its index.ts, line by line', () => {
    const path = 'adapters/provider-c/index.ts';
    const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
    const walked = excerpts.filter((one) => one.path === path).flatMap(({ code }) => lines(code));
    expect(walked).to.deep.equal(lines(read(path)));
  });

  it('names only commands and options that exist', async () => {
    const lines = shellLines(guide).filter((line) => /^npx paywright |^npm run new-adapter/.test(line));
    expect(lines.length).to.be.greaterThan(10);
    for (const line of lines) {
      const words = splitWords(line.replace(/^npx paywright |^npm run (?=new-adapter)/, '').replace(' -- ', ' '));
      const { command } = await parseCommand(words, commands);
      expect(`${words.join(' ')} `, line).to.match(new RegExp(`^${command.name} `));
    }
  });

  it('names every decision of the scaffold and no other', () => {
    const [, table = ''] = /\n\| decision .*\n\|[ -|]+\n((?:\|.*\n)+)/.exec(guide) ?? [];
    const named = table
      .trim()
      .split('\n')
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(named).to.have.same.members(Object.keys(undecided));
  });

  it('has every page in its index', () => {
    for (const page of pages.slice(1)) expect(read(index)).to.include(`](${relative('adapters', page)})`);
  });

  it('links only to headings and files that exist', () => {
    for (const page of pages) {
      for (const [, link = ''] of read(page).matchAll(/\]\(([^)]+)\)/g)) {
        if (link.startsWith('https://')) continue;
        const [file = '', heading] = link.split('#');
        const target = file === '' ? page : join(dirname(page), file);
        expect(existsSync(join(root, target)), `${page}: ${link}`).to.equal(true);
        if (heading !== undefined) expect(headingsOf(target), `${page}: ${link}`).to.include(heading);
      }
    }
  });
});

/** Names of the options, as far as the schema lists them itself. */
function optionNamesOf({ adapter }: AdapterPackage): string[] {
  const { entries = {} } = (adapter?.manifest.options ?? {}) as { entries?: Readonly<Record<string, unknown>> };
  return Object.keys(entries);
}

describe("an adapter's README", () => {
  let packages: AdapterPackage[];
  before(async () => {
    packages = await listAdapterPackages(root);
  });

  /** Runs the check for each package. An error names the package. */
  const checkEach = (check: (readme: string, one: AdapterPackage) => void): void => {
    expect(packages.length).to.be.greaterThan(10);
    for (const one of packages) {
      try {
        check(read(`adapters/${one.folder}/README.md`), one);
      } catch (error) {
        throw new Error(`adapters/${one.folder}/README.md: ${(error as Error).message}`, { cause: error });
      }
    }
  };

  it('has options, addresses, protocol, sandbox, limits and files, in this order', () => {
    checkEach((readme) => {
      const headings = [...readme.matchAll(/^## (.*)$/gm)].map(([, text = '']) => text);
      const wanted = [
        /^Options/,
        /^Addresse?s? to register/,
        /^The protocol/,
        /^The sandbox/,
        /^Known limits/,
        /^Files/,
      ];
      const places = wanted.map((form) => headings.findIndex((heading) => form.test(heading)));
      expect(places, headings.join(', ')).to.not.include(-1);
      expect(places).to.deep.equal(places.toSorted((a, b) => a - b));
    });
  });

  it('says which provider it describes, and names each option, each route and the sandbox', () => {
    checkEach((readme, one) => {
      const { name, adapter } = one;
      expect(readme)
        .to.match(new RegExp(`^# ${name}\n`))
        .and.contain(`(code ${adapter?.manifest.code})`);
      const options = optionNamesOf(one);
      expect(options).to.include.members(['baseUrl', 'sandboxBaseUrl']);
      const [, section = ''] = readme.split(/^## Options\n/m);
      for (const option of options) expect(section.split(/^## /m)[0]).to.contain(`\`${option}`);
      for (const { path } of adapter?.callbacks ?? []) expect(readme).to.contain(`callbacks/${path}`);
      expect(readme).to.contain(`${name}/sandbox`);
    });
  });

  it('leaves no decision open', () => {
    checkEach((readme) => expect(readme).to.not.match(/^To decide/m));
  });

  it('is shorter than 200 lines', () => {
    checkEach((readme) => expect(readme.split('\n').length).to.be.lessThan(200));
  });
});
