/**
 * Generates the tables of the merchant's guide that follow from code: `<!-- generated: name -->` … `<!-- end -->`.
 * A test fails if a page differs from what is generated here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declineReasons } from '@paywright/contract';
import { format } from 'prettier';
import { merchantCalls } from '../../core/docs/reference/operations.ts';
import { readDocument } from '../client/generated-files.ts';
import { root } from '../support/start-gateway.ts';

const folder = join(root, 'core/docs/guide');
const marker = /<!-- generated: ([\w-]+) -->\n[^]*?<!-- end -->/g;

/** The content of each page with generated parts, by path. */
export async function renderGuidePages(): Promise<Readonly<Record<string, string>>> {
  const parts: Readonly<Record<string, string>> = {
    scopes: await renderScopes(),
    'decline-codes': renderDeclines(),
  };
  const pages: Record<string, string> = {};
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.md'))) {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    const rendered = text.replaceAll(marker, (_, part: string) => {
      const content = parts[part];
      if (content === undefined) throw new Error(`${name} names the unknown part ${part}`);
      return `<!-- generated: ${part} -->\n\n${content}\n\n<!-- end -->`;
    });
    if (rendered !== text || marker.test(text)) {
      pages[path] = await format(rendered, { parser: 'markdown', singleQuote: true, printWidth: 120 });
    }
  }
  return pages;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

async function renderScopes(): Promise<string> {
  const { document } = await readDocument();
  const calls = merchantCalls(document).filter(({ scopes }) => scopes.length > 0);
  const names = [...new Set(calls.flatMap(({ scopes }) => scopes))];
  const rows = names.flatMap((scope) =>
    calls
      .filter(({ scopes }) => scopes.includes(scope))
      .map(({ method, path, title }) => [`\`${scope}\``, `\`${method} ${path}\``, title]),
  );
  return table(['scope', 'call', 'what it does'], rows);
}

function renderDeclines(): string {
  const codes = Object.entries(declineReasons).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return table(
    ['code', 'meaning'],
    codes.map(([code, words]) => [`\`${code}\``, words]),
  );
}
