import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { missedGoals } from '../testing/mutation/index.ts';
import { mutationKinds } from '../testing/mutation/kinds.ts';
import { readMutationFile } from '../testing/mutation/mutation-file.ts';
import { runMutants } from '../testing/mutation/run-mutants.ts';

const here = dirname(fileURLToPath(import.meta.url));
const absent = 'This adapter sends no request of this kind.';
const code = `export const isFresh = (age) => Math.abs(age) < 300;\nexport const key = (name) => name;\n`;
const tests = `
import { equal } from 'node:assert/strict';
import { isFresh, key } from '../adapter.js';
describe('conformance of acme', () => {
  it('proof: refuses an old message', () => equal(isFresh(301), false));
});
describe('acme', () => {
  it('refuses an early message', () => equal(isFresh(-301), false));
  it('has a name', () => equal(typeof key('a'), 'string'));
});
`;

/** A built package with the kit's rules and tests of its own. It is inside this package, so that it finds mocha. */
let folder: string;
const write = (entries: Readonly<Record<string, unknown>>): void => {
  const kinds = Object.fromEntries(Object.keys(mutationKinds).map((kind) => [kind, absent]));
  writeFileSync(join(folder, 'test/mutations.json'), JSON.stringify({ ...kinds, ...entries }));
};
const place = (from: string, to: string) => [{ file: 'adapter.js', from, to }];

beforeEach(() => {
  folder = mkdtempSync(join(here, 'mutated-'));
  mkdirSync(join(folder, 'dist/test'), { recursive: true });
  mkdirSync(join(folder, 'test'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'dist/adapter.js'), code);
  writeFileSync(join(folder, 'dist/test/acme.test.js'), tests);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('missedGoals', () => {
  it('names each goal that a run misses, and none that it reaches exactly', () => {
    expect(missedGoals({ faults: 20, byRule: 15, byAny: 19 })).to.deep.equal([]);
    expect(missedGoals({ faults: 20, byRule: 14, byAny: 19 })).to.deep.equal([
      'below the goal of 75 % for the rules alone',
    ]);
    expect(missedGoals({ faults: 20, byRule: 14, byAny: 18 })).to.deep.equal([
      'below the goal of 75 % for the rules alone',
      'below the goal of 95 % for all tests',
    ]);
  });
});

describe('runMutants', function () {
  this.timeout(60_000);

  it('tells what a rule, only another test, or nothing catches, and leaves the code as it is', async () => {
    write({
      'stale-accepted': place('Math.abs(age) < 300', 'true'),
      'fresh-one-way': place('Math.abs(age) < 300', 'age < 300'),
      'refund-key-random': place('(name) => name', '(name) => name + Math.random()'),
    });
    const results = await runMutants(folder, readMutationFile(folder));
    const found = results.map(({ kind, caughtByRule, caughtByAny }) => [kind, caughtByRule, caughtByAny]);
    const rule = 'conformance of acme proof: refuses an old message';
    expect(found).to.have.deep.members([
      ['stale-accepted', rule, rule],
      ['fresh-one-way', null, 'acme refuses an early message'],
      ['refund-key-random', null, null],
    ]);
    const { isFresh } = (await import(join(folder, 'dist/adapter.js'))) as { isFresh: (age: number) => boolean };
    expect(isFresh(301)).to.equal(false);
  });

  it('refuses to judge by tests that fail without a fault', async () => {
    write({ 'stale-accepted': place('Math.abs(age) < 300', 'true') });
    writeFileSync(
      join(folder, 'dist/adapter.js'),
      `${code}export const broken = 1;`.replace('(name) => name', '() => 1'),
    );
    const judged = runMutants(folder, readMutationFile(folder)).then(String, String);
    expect(await judged).to.contain('without a fault: "acme has a name" fails');
  });

  it('counts no fault as caught that keeps the tests from loading', async () => {
    write({ 'stale-accepted': place('export const isFresh', 'export const elsewhere') });
    const judged = runMutants(folder, readMutationFile(folder)).then(String, String);
    expect(await judged).to.contain('with the fault stale-accepted in adapter.js: the tests gave no report');
  });
});

describe('readMutationFile', () => {
  const refusal = (): string => {
    try {
      readMutationFile(folder);
    } catch (error) {
      return String(error);
    }
    return 'accepted';
  };

  it('names the kind that has no entry, an unknown kind, and a place that is not there once', () => {
    expect(refusal()).to.contain('mutations.json does not exist');
    write({ 'stale-accepted': undefined });
    expect(refusal()).to.contain('stale-accepted');
    write({ stale: absent });
    expect(refusal()).to.contain('stale');
    write({ 'stale-accepted': place('nowhere', 'x') });
    expect(refusal()).to.contain('stale-accepted: "nowhere" occurs 0 times in dist/adapter.js');
    write({ 'stale-accepted': place('export', 'x') });
    expect(refusal()).to.contain('occurs 2 times');
    write({ 'stale-accepted': 'no' });
    expect(refusal()).to.contain('stale-accepted');
  });
});
