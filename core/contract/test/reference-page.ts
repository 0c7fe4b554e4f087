/**
 * Writes `docs/reference.md`: each function and type that the package exports for adapters, their sandboxes and their
 * tests, with its signature and its comment. The page is made from the declarations that the compiler wrote, so it
 * cannot differ from the code. Write it again after a change:
 *
 *     npm run build && node core/contract/dist/test/reference-page.js
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = join(dirname(fileURLToPath(import.meta.url)), '../..');
const read = (path: string): string => readFileSync(join(home, path), 'utf8');

export const referencePath = 'docs/reference.md';

interface Declared {
  readonly name: string;
  readonly comment: string;
  readonly code: string;
}

interface Part {
  readonly title: string;
  /** The file that lists the exports. */
  readonly index: string;
}

const parts: readonly Part[] = [
  { title: 'For adapters: `@paywright/contract`', index: 'index.ts' },
  { title: 'For sandboxes: `@paywright/contract/sandbox`', index: 'sandbox/index.ts' },
  { title: 'For tests: `@paywright/contract/testing`', index: 'testing/index.ts' },
];

/** The page as the code says it. Its opening is written by hand. */
export function renderReference(): string {
  const [opening = ''] = read(referencePath).split('\n## ');
  const forCore = new Set(namesAfter('\n## Only for core\n'));
  const sections = parts.map(({ title, index }) => {
    const files = filesOf(index).map(({ file, names }) => {
      const wanted = declarationsOf(file).filter(
        ({ name, comment }) =>
          (names === 'all' || names.has(name)) && !forCore.has(name) && !comment.includes('@deprecated'),
      );
      return wanted.length === 0 ? '' : `### ${file}\n\n${wanted.map(renderOne).join('\n')}\n`;
    });
    return `## ${title}\n\n${files.filter((file) => file !== '').join('\n')}`;
  });
  return [opening, ...sections].join('\n');
}

function namesAfter(heading: string): string[] {
  const [, text = ''] = read('docs/exports.md').split(heading);
  return [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
}

interface Listed {
  readonly file: string;
  readonly names: 'all' | ReadonlySet<string>;
}

/** The files that an index exports, whole or by name. */
function filesOf(index: string): Listed[] {
  const folder = dirname(index);
  const exports = /^export (?:\*|(?:type )?\{([^}]*)\}) from '\.\/(.+?)';$/gm;
  return [...read(index).matchAll(exports)].map(([, list, file]) => ({
    file: join(folder, file!),
    names: list === undefined ? 'all' : new Set(list.split(',').map((name) => name.replace(/\btype\b/, '').trim())),
  }));
}

/** The exported declarations of a file. */
function declarationsOf(file: string): Declared[] {
  const text = read(join('dist', file.replace(/\.ts$/, '.d.ts')));
  const start =
    /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?^export (?:declare )?(?=(?:function|interface|type|class|const) (\w+))/gm;
  return [...text.matchAll(start)].map(({ 0: opened, 1: comment = '', 2: name, index }) => ({
    name: name!,
    comment,
    code: readDeclaration(text, index + opened.length),
  }));
}

/** The text of the declaration or member that starts here: to its semicolon, or to the end of its block. */
function readDeclaration(text: string, from: number): string {
  const hasBlock = /^(?:interface|class) /.test(text.slice(from, from + 10));
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    // A comment may hold any sign.
    if (text.startsWith('/**', at)) at = text.indexOf('*/', at);
    const sign = text[at]!;
    if ('{(['.includes(sign)) depth += 1;
    if ('})]'.includes(sign)) depth -= 1;
    if (depth === 0 && sign === (hasBlock ? '}' : ';')) return text.slice(from, at + 1);
  }
  throw new Error(`a declaration has no end: ${text.slice(from, from + 60)}`);
}

function renderOne({ comment, code }: Declared): string {
  const said = renderComment(comment);
  if (!/^(?:interface|class) /.test(code)) return item(shorten(code), said);
  const head = code.slice(0, code.indexOf('{')).trim();
  return [item(head, said), ...membersOf(code)].join('\n');
}

/** The members of an interface or a class, each as an item below it. */
function membersOf(code: string): string[] {
  const start = /^ {4}(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n {4})?(?:readonly )?(?=[\w[])/gm;
  const end = code.lastIndexOf('}');
  const members: string[] = [];
  for (let found = start.exec(code); found; found = start.exec(code)) {
    const member = readDeclaration(code.slice(0, end), start.lastIndex);
    start.lastIndex += member.length;
    const comment = found[1] ?? '';
    if (!comment.includes('@deprecated')) members.push(`  ${item(member, renderComment(comment), '  ')}`);
  }
  return members;
}

/** A function without its first word. A long table without its values. */
function shorten(code: string): string {
  const isTable = code.startsWith('const ') && code.length > 240;
  return isTable ? code.slice(0, code.indexOf(':')) : code.replace(/^function /, '');
}

function item(code: string, said: string, indent = ''): string {
  const oneLine = code
    .replaceAll(/\/\*\*(?:(?!\*\/)[^])*\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/;$/, '')
    .trim();
  const [first = '', ...more] = said.split('\n');
  const span = oneLine.includes('`') ? `\`\` ${oneLine} \`\`` : `\`${oneLine}\``;
  const below = more.map((line) => (line === '' ? '' : `${indent}  ${line}`));
  return [`- ${span}${first === '' ? '' : `: ${first}`}`, ...below].join('\n');
}

/** The text of a comment: its sentences in one line, its list as a list, without its examples. */
function renderComment(comment: string): string {
  const lines = comment
    .replaceAll(/^\s*\*? ?/gm, '')
    .replaceAll(/```[^]*?```/g, '')
    .trim()
    .split('\n');
  const text: string[] = [];
  let isNew = false;
  for (const line of lines) {
    const trimmed = line.trim();
    const endsList = isNew && (text.at(-1) ?? '').startsWith('- ');
    isNew = trimmed === '';
    if (isNew) continue;
    if (trimmed.startsWith('- ') || text.length === 0) text.push(trimmed);
    else if (endsList) text.push('', trimmed);
    else text.push(`${text.pop()} ${trimmed}`);
  }
  return text.join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(home, referencePath), renderReference());
