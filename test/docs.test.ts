/** The Markdown pages of the repository: every link has a target, and every page and file that a page names exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { alarmKinds } from '../core/engine/alarms/index.ts';
import { jobNames } from '../core/engine/jobs/index.ts';
import { root } from './support/start-gateway.ts';

const skipped = new Set(['node_modules', 'dist', 'coverage', '.git', '.build', '.data']);

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const files = filesBelow('.');
const pages = files.filter((path) => path.endsWith('.md'));
const withoutFences = (markdown: string): string => markdown.replace(/^(```|~~~).*\n[^]*?^\1/gm, '');

/** The anchors that GitHub generates from a page's headings. */
function anchorsOf(markdown: string): Set<string> {
  const headings = [...withoutFences(markdown).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  const seen = new Map<string, number>();
  return new Set(
    headings.map((heading) => {
      const before = seen.get(heading) ?? 0;
      seen.set(heading, before + 1);
      return before ? `${heading}-${before}` : heading;
    }),
  );
}

/** Link targets inside the repository. */
function linksOf(markdown: string): string[] {
  const prose = withoutFences(markdown).replace(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)/gm)].map(
    ([, one, other]) => one ?? other ?? '',
  );
  return targets.filter((target) => !/^[a-z]+:/i.test(target));
}

function isBroken(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path ? join(dirname(page), path) : page;
  if (!existsSync(join(root, target))) return true;
  return anchor !== undefined && !(target.endsWith('.md') && anchorsOf(read(target)).has(anchor));
}

/** True if the named path exists relative to the file's folder or to a folder above it. */
function exists(file: string, named: string): boolean {
  const folder = dirname(file);
  return existsSync(join(root, folder, named)) || (folder !== '.' && exists(folder, named));
}

describe('the documentation of the repository', () => {
  it('links to pages and anchors that exist', () => {
    const links = pages.flatMap((page) => linksOf(read(page)).map((link) => ({ page, link })));
    expect(links.length).to.be.greaterThan(40);
    expect(links.filter(({ page, link }) => isBroken(page, link))).to.deep.equal([]);
  });

  it('names files of the repository by paths that exist', () => {
    // The changelog also names files that were moved later.
    const named = pages
      .filter((page) => page !== 'CHANGELOG.md')
      .flatMap((page) =>
        [...read(page).matchAll(/`((?:core|workers|adapters|config|test)\/[\w./-]+)`/g)].map(([, path = '']) => {
          return { page, path };
        }),
      );
    expect(named.length).to.be.greaterThan(50);
    expect(named.filter(({ page, path }) => !exists(page, path))).to.deep.equal([]);
  });

  it('names a test for each promise of the core', () => {
    const [, section = ''] = /^## Promises\n([^]*)/m.exec(read('core/README.md')) ?? [];
    const promises = [...section.matchAll(/^- \*\*.+$/gm)].map(([line]) => line);
    expect(promises.length).to.be.greaterThan(10);
    const isShown = (line: string): boolean =>
      [...line.matchAll(/`([\w./-]+\.ts)`/g)].some(([, path = '']) => /\.test\.ts$|^test\//.test(path));
    expect(promises.filter((line) => !isShown(line))).to.deep.equal([]);
  });

  it('lists every folder of the core', () => {
    const folders = readdirSync(join(root, 'core'), { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && entry.name !== 'testing',
    );
    const names = folders.map(({ name }) => name);
    for (const [page, row] of [
      ['core/README.md', /^\| `core\/(\w+)` /gm],
      ['README.md', /\["core\/(\w+)<br>/g],
    ] as const)
      expect(
        [...read(page).matchAll(row)].map(([, name]) => name),
        page,
      ).to.have.members(names);
  });

  it('contains every Markdown page that code names', () => {
    const named = files
      .filter((path) => /\.(ts|mjs|yaml|yml)$/.test(path))
      .flatMap((file) => {
        const code = read(file).replace(/https?:\/\/\S+/g, '');
        return [...code.matchAll(/\w[\w./-]*\.md\b/g)].map(([page]) => ({ file, page }));
      });
    expect(named.length).to.be.greaterThan(20);
    expect(named.filter(({ file, page }) => !exists(file, page))).to.deep.equal([]);
  });

  it('names every job', () => {
    const page = read('workers/README.md');
    expect(jobNames.filter((name) => !page.includes(`\`${name}\``))).to.deep.equal([]);
  });

  it('quotes log messages that exist', () => {
    const quoted = [...read('config/deploy/operations.md').matchAll(/(?<=[ |(])_([a-z][a-z ]+)_/g)].map(
      ([, text = '']) => text,
    );
    expect(quoted.length).to.be.greaterThan(8);
    const code = files
      .filter((path) => /^(core|workers)\/.*\.ts$/.test(path) && !path.endsWith('.test.ts'))
      .map(read)
      .join();
    expect(quoted.filter((text) => !code.includes(text))).to.deep.equal([]);
  });

  it('lists every alarm with its severity, its meaning and its remedy', () => {
    const rows = read('config/deploy/operations.md').replace(/ +\|/g, ' |');
    for (const [kind, { severity, meaning, cure }] of Object.entries(alarmKinds))
      expect(rows).to.include(`| \`${kind}\` | ${severity} | ${meaning} | ${cure} |`);
  });
});
