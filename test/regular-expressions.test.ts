/**
 * Every regular expression of the product takes linear time: `recheck` proves it for each pattern. Tests are exempt,
 * because they match text that they know; the kit for adapter authors is checked.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { check } from 'recheck';
import { isTest } from './architecture/sources.ts';
import { findPatterns } from './regular-expressions/find-patterns.ts';
import { root } from './support/start-gateway.ts';

/** A pattern that is slow for long text, and the bound that keeps long text from it. */
interface BoundedPattern {
  /** As in the code: `/…/flags`. */
  readonly pattern: string;
  /** At most this many characters reach the pattern. */
  readonly characters: number;
  /** The test that fails without the bound. */
  readonly test: { readonly file: string; readonly title: string };
}

const mostCharacters = 200;

/** Prefer a linear pattern, `trim()` or a walk by character to an entry here. */
const boundedPatterns: readonly BoundedPattern[] = [];

/** Where each distinct pattern is. */
async function readPatterns(): Promise<ReadonlyMap<string, readonly string[]>> {
  const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const isChecked = (path: string): boolean => !isTest(path) || path.startsWith('core/contract/testing/');
  const places = new Map<string, string[]>();
  for (const path of paths.split('\n').filter((path) => /\.(ts|mjs|js)$/.test(path) && isChecked(path))) {
    if (!existsSync(join(root, path))) continue; // Deleted, and not committed yet.
    for (const { source, flags, line } of await findPatterns(readFileSync(join(root, path), 'utf8'))) {
      const pattern = `/${source}/${flags}`;
      const known = places.get(pattern) ?? [];
      places.set(pattern, known);
      known.push(`${path}:${line}`);
    }
  }
  return places;
}

/** Work is limited, and time is not, so the result does not depend on how busy the machine is. */
const limits = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  attackLimit: 100_000_000,
};

/** Undefined if the pattern takes linear time, otherwise what `recheck` says. */
async function judge(pattern: string): Promise<string | undefined> {
  const end = pattern.lastIndexOf('/');
  const found = await check(pattern.slice(1, end), pattern.slice(end + 1), limits);
  if (found.status === 'safe') return undefined;
  return found.status === 'vulnerable'
    ? `${found.complexity.summary}, for example for ${found.attack.pattern}`
    : `unknown: ${found.error.kind}`;
}

function problemsOf({ pattern, characters, test }: BoundedPattern): string[] {
  const path = join(root, test.file);
  const hasTest = isTest(test.file) && existsSync(path) && readFileSync(path, 'utf8').includes(`it('${test.title}'`);
  return [
    ...(characters <= mostCharacters ? [] : [`${pattern}: ${characters} characters are too many`]),
    ...(hasTest ? [] : [`${pattern}: there is no test "${test.title}" in ${test.file}`]),
  ];
}

describe('regular expressions', () => {
  it('take linear time, or have a bound of at most 200 characters before them', async () => {
    const places = await readPatterns();
    expect(places.size).to.be.above(300);
    const listed = new Set(boundedPatterns.map(({ pattern }) => pattern));
    // The first call starts the checker's process. Concurrent first calls would each start one.
    await judge('/a/');
    const judged = await Promise.all(
      [...places].map(async ([pattern, where]) => {
        const problem = await judge(pattern);
        if (listed.has(pattern)) return problem ? [] : [`${pattern} is linear: remove it from the list`];
        return problem ? [`${pattern} in ${where.join(', ')} is slow: ${problem}`] : [];
      }),
    );
    const unused = [...listed].filter((pattern) => !places.has(pattern)).map((pattern) => `${pattern} is nowhere`);
    expect([...judged.flat(), ...unused]).to.deep.equal([]);
  });

  it('are listed with a test that exists', () => {
    expect(boundedPatterns.flatMap(problemsOf)).to.deep.equal([]);
    const test = { file: 'test/regular-expressions.test.ts', title: 'are listed with a test that exists' };
    const pattern = '/a+$/';
    expect(problemsOf({ pattern, characters: 200, test })).to.deep.equal([]);
    expect(problemsOf({ pattern, characters: 201, test: { ...test, title: 'is not there' } })).to.deep.equal([
      '/a+$/: 201 characters are too many',
      '/a+$/: there is no test "is not there" in test/regular-expressions.test.ts',
    ]);
    expect(problemsOf({ pattern, characters: 1, test: { ...test, file: 'core/app.ts' } })).to.have.length(1);
  });
});

describe('judge', () => {
  for (const pattern of ['/^[ \\t]+|[ \\t]+$/g', '/^(\\d\\d)\\s*\\/?\\s*(\\d\\d)$/', '/^(a+)+$/', '/(?<!x)\\d+y/'])
    it(`finds that ${pattern} is slow`, async () => {
      expect(await judge(pattern)).to.match(/polynomial|exponential/);
    });

  it('accepts a linear pattern', async () => {
    expect(await judge('/^(\\d\\d)\\s*(?:\\/\\s*)?(\\d\\d)$/')).to.equal(undefined);
  });
});

describe('findPatterns', () => {
  for (const [code, expected] of [
    ['const a = b / c / d; const e = x.match(/[/]\\/+/gi);', ['[/]\\/+ gi 1']],
    ['// /a+/\nconst s = "/b+/" + `/c+/ ${x.replace(/d+/u, "")}`;', ['d+ u 2']],
    ["new RegExp('a+$', 'm'); RegExp(`b${1}`); RegExp(c); other('d')", ['a+$ m 1', 'bx  1']],
    ["const one = '[ab]'; const two = `${one}+`; new RegExp(String.raw`^\\s*${two}` + x, 'u');", ['^\\s*[ab]+x u 1']],
    ["function f() { const one = 'a'; } function g(b) { const one = b; return new RegExp(`${one}`); }", ['x  1']],
    ['const x = <T,>(a: T) => a as unknown as RegExp; type A = `/${string}/`;', []],
  ] as const)
    it(`finds ${JSON.stringify(expected)} in ${JSON.stringify(code)}`, async () => {
      const found = await findPatterns(code);
      expect(found.map(({ source, flags, line }) => `${source} ${flags} ${line}`)).to.deep.equal(expected);
    });
});
