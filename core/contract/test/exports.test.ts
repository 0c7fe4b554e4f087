/**
 * Compares `docs/exports.md` with the package's root: each export is in one of three lists (for authors, deprecated,
 * for core).
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as core from '../core/index.ts';
import * as root from '../index.ts';
import { referencePath, renderReference } from './reference-page.ts';

const home = join(dirname(fileURLToPath(import.meta.url)), '../..');
const read = (path: string): string => readFileSync(join(home, path), 'utf8');

interface Export {
  readonly name: string;
  readonly isDeprecated: boolean;
}

/** The exports of a source file, including types. */
function exportsOf(path: string): Export[] {
  const declaration =
    /(\/\*\*(?:(?!\*\/)[^])*\*\/\n)?^export (?:async )?(?:interface|type|class|const|function) (\w+)/gm;
  return [...read(path).matchAll(declaration)].map(([, comment, name]) => ({
    name: name!,
    isDeprecated: comment?.includes('@deprecated') ?? false,
  }));
}

const files = [...read('index.ts').matchAll(/^export \* from '\.\/(.+)';$/gm)].map(([, file]) => file!);
const exported = files.flatMap(exportsOf);

/** The names in code spans of one part of the page. File names have a dot, so they do not count. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/`([A-Za-z]\w*)`/g)].map(([, name]) => name!);
}

const [authors, deprecated, forCore] = read('docs/exports.md')
  .slice(read('docs/exports.md').indexOf('\n## '))
  .split(/\n## (?:Deprecated|Only for core)\n/);
const deprecatedNames = namesIn([...deprecated!.matchAll(/^\|([^|]*)\|/gm)].map(([, cell]) => cell).join(' '));

describe('docs/exports.md', () => {
  it('lists every export of the root exactly once', () => {
    const listed = [...namesIn(authors!), ...deprecatedNames, ...namesIn(forCore!)];
    expect(listed.toSorted()).to.deep.equal(exported.map(({ name }) => name).toSorted());
  });

  it('knows every value that the root exports', () => {
    expect(exported.map(({ name }) => name)).to.include.members(Object.keys(root).filter((name) => name !== 'v'));
  });

  it('lists as deprecated what the code marks as deprecated', () => {
    const marked = exported.filter(({ isDeprecated }) => isDeprecated).map(({ name }) => name);
    expect(deprecatedNames.toSorted()).to.deep.equal(marked.toSorted());
  });

  it('lists for core what @paywright/contract/core exports, which the root exports too', () => {
    expect(namesIn(forCore!).toSorted()).to.deep.equal(Object.keys(core).toSorted());
    for (const [name, value] of Object.entries(core)) expect((root as Record<string, unknown>)[name]).to.equal(value);
  });
});

describe('docs/reference.md', () => {
  it('is what the code says: node core/contract/dist/test/reference-page.js writes it', () => {
    expect(read(referencePath)).to.equal(renderReference());
  });

  it('has the signature of every function for adapters and for sandboxes, and says what each is for', () => {
    const page = read(referencePath);
    const sandbox = [...read('sandbox/index.ts').matchAll(/^export \* from '\.\/(.+)';$/gm)].map(([, file]) => file!);
    const isFunction = /^export (?:async )?function (\w+)/gm;
    const functions = [...files, ...sandbox.map((file) => `sandbox/${file}`)]
      .flatMap((file) => [...read(file).matchAll(isFunction)])
      .map(([, name]) => name!)
      .filter((name) => !deprecatedNames.includes(name) && !namesIn(forCore!).includes(name));
    const said = functions.filter((name) => new RegExp(`^- \`+ ?${name}[<(].*\`: \\S`, 'm').test(page));
    expect(said).to.deep.equal(functions);
  });
});
