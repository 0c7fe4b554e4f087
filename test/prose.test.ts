/** Keeps the patterns of `.config/prose.json` out of comments, documentation and output. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { root } from './support/start-gateway.ts';

const Pattern = v.object({ pattern: v.string(), say: v.string(), reason: v.optional(v.string()) });
const Prose = v.object({
  commentColumns: v.number(),
  commentOpenings: v.array(Pattern),
  anywhere: v.array(Pattern),
});
const rules = v.parse(Prose, JSON.parse(readFileSync(join(root, '.config/prose.json'), 'utf8')));

const opening = /^\s*(?:\/\*\*?|\/\/|\*|#|<!--)\s+/;
const comment = /^\s*(?:\/\*|\/\/|\*|#)/;

/** What is checked of each kind of file. */
const kinds = [
  { ends: /\.(ts|mjs|js|css)$/, isMarkdown: false },
  { ends: /\.(ya?ml|sh)$|^\.ci\/[\w-]+$/, isMarkdown: false },
  { ends: /\.md$/, isMarkdown: true },
] as const;

/** Data of providers, generated files, and the entries of earlier releases. */
const exempt = /(^|\/)(fixtures|generated)\/|^CHANGELOG\.md$|^test\/prose\.test\.ts$/;

function listFiles(): { readonly path: string; readonly isMarkdown: boolean }[] {
  const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  return paths
    .split('\n')
    .filter((path) => path !== '' && !exempt.test(path))
    .flatMap((path) => {
      const kind = kinds.find(({ ends }) => ends.test(path));
      return kind ? [{ path, isMarkdown: kind.isMarkdown }] : [];
    });
}

/** Without code spans and quotations. In code, back-quotes delimit strings, so spans are removed from comments only. */
function toProse(line: string, isMarkdown: boolean): string {
  if (!isMarkdown && !comment.test(line)) return line;
  return line.replace(/`[^`]*`/g, '').replace(/"[^"]*"|“[^”]*”/g, '');
}

function findProblems(path: string, text: string, isMarkdown: boolean): string[] {
  let isCode = false;
  return text.split('\n').flatMap((line, at) => {
    if (isMarkdown && line.trimStart().startsWith('```')) isCode = !isCode;
    if (isCode) return [];
    const where = `${path}:${at + 1}`;
    const prose = toProse(line, isMarkdown);
    const start = opening.exec(prose)?.[0];
    const opened = start === undefined || isMarkdown ? '' : prose.slice(start.length);
    const found = [
      ...rules.commentOpenings.filter(({ pattern }) => new RegExp(`^(?:${pattern})`).test(opened)),
      ...rules.anywhere.filter(({ pattern }) => new RegExp(`\\b(?:${pattern})\\b`, 'i').test(prose)),
    ].map(({ pattern, say }) => `${where}: "${pattern}": ${say}`);
    const isLong = path.endsWith('.ts') && comment.test(line) && line.length > rules.commentColumns;
    return isLong ? [...found, `${where}: a comment line of ${line.length} columns`] : found;
  });
}

describe('the prose of the project', () => {
  it('has none of the patterns of .config/prose.json', () => {
    const files = listFiles();
    expect(files.length).to.be.greaterThan(1000);
    const problems = files.flatMap(({ path, isMarkdown }) =>
      findProblems(path, readFileSync(join(root, path), 'utf8'), isMarkdown),
    );
    expect(problems, problems.join('\n')).to.deep.equal([]);
  });

  for (const { pattern, line } of [
    { pattern: 'Of', line: '/** Of them those of one owner. */' },
    { pattern: 'Whose', line: ' * Whose file it is.' },
    { pattern: 'What … comes to', line: '// What a call comes to.' },
    { pattern: 'nobody', line: "throw new Error('Nobody is let in');" },
    { pattern: 'by itself', line: '// The alarm ends by itself.' },
    { pattern: 'mend', line: 'mended' },
    { pattern: 'columns', line: `// ${'x'.repeat(120)}` },
  ]) {
    it(`finds ${pattern}`, () => {
      expect(findProblems('x.ts', line, false)).to.have.length(1);
    });
  }

  it('leaves code spans and quotations alone', () => {
    expect(findProblems('README.md', 'The job `mend`, "by itself", “nobody”.\n```\nanew\n```', true)).to.deep.equal([]);
    expect(findProblems('x.ts', '// The option `--of late` offers an amendment.', false)).to.deep.equal([]);
  });

  it('checks documentation outside code', () => {
    expect(findProblems('README.md', 'It goes on.\n```\nx\n```\nIt is told.', true)).to.have.length(2);
  });
});
