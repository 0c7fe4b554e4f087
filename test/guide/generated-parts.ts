/**
 * Generates the tables of the merchant's guide that follow from code: `<!-- generated: name -->` … `<!-- end -->`.
 * A test fails if a page differs from what is generated here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declineReasons, type TestValue } from '@paywright/contract';
import { testAmounts, testCards } from '@paywright/contract/sandbox';
import { format } from 'prettier';
import { merchantCalls } from '../../core/docs/reference/operations.ts';
import { readDocument } from '../client/generated-files.ts';
import { readSandboxes, type DescribedSandbox } from './sandboxes.ts';
import { root } from '../support/start-gateway.ts';

const folder = join(root, 'core/docs/guide');
const marker = /<!-- generated: ([\w-]+) -->\n[^]*?<!-- end -->/g;

/** The content of each page with generated parts, by path. */
export async function renderGuidePages(): Promise<Readonly<Record<string, string>>> {
  const sandboxes = await readSandboxes();
  const parts: Readonly<Record<string, string>> = {
    scopes: await renderScopes(),
    'decline-codes': renderDeclines(),
    'test-cards': renderCards(),
    'test-amounts': renderAmounts(),
    'test-values': sandboxes.map(renderSandbox).join('\n\n'),
    'sandbox-events': sandboxes
      .filter(({ events }) => events.length > 0)
      .map(renderEvents)
      .join('\n\n'),
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

function renderCards(): string {
  return table(
    ['card', 'what happens'],
    testCards.map(({ value, result }) => [`\`${value}\``, result]),
  );
}

function renderAmounts(): string {
  return table(
    ['amount ends in', 'what happens'],
    testAmounts.map(({ value, result }) => [`\`${value}\``, result]),
  );
}

/** How a tester enters the value. */
const entered: Readonly<Record<TestValue['member'], (value: string) => string>> = {
  number: (value) => `card \`${value}\``,
  token: (value) => `token \`${value}\``,
  upiId: (value) => `UPI id \`${value}\``,
  email: (value) => `email \`${value}@…\``,
  name: (value) => `name \`${value.trim()} …\``,
  country: (value) => `country \`${value}\``,
  amount: (value) => (value.startsWith('.') ? `amount ends in \`${value}\`` : `amount \`${value}\``),
  refund: (value) => `refund ends in \`${value}\``,
  page: (value) => `button \`${value}\` of its page`,
};

function renderValues(values: readonly TestValue[]): string {
  return table(
    ['you use', 'what happens'],
    values.map(({ member, value, result }) => [entered[member](value), result]),
  );
}

const inputs = { card: 'cards', token: 'card tokens', upi: 'UPI ids' } as const;

/** What the call sends. Without payment data, the payer enters it at the provider's page. */
function inputText({ inputs: accepted }: DescribedSandbox['manifest']): string {
  const data = accepted.flatMap((input) => (input === 'billing' ? [] : [inputs[input]]));
  if (data.length === 0) return 'It takes no payment data: the payer pays at the page of the provider.';
  const words = data.join(' or ');
  const without = accepted.includes('billing') ? "; without either, the payer pays at the provider's page" : '';
  return `It takes ${words}${data.length === 1 ? without.replace('either', 'them') : without}.`;
}

/** Code that is wider is scrolled sideways. */
const widest = 76;

function wrap(words: readonly string[]): string {
  const lines = [''];
  for (const [at, word] of words.entries()) {
    const text = at === words.length - 1 ? word : `${word},`;
    const last = lines.at(-1)!;
    if (last === '') lines[lines.length - 1] = text;
    else if (`${last} ${text}`.length <= widest) lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(text);
  }
  return lines.join('\n');
}

function renderSandbox({ manifest, testValues }: DescribedSandbox): string {
  const own = testValues.length > 0 ? renderValues(testValues) : 'It has no test values of its own.';
  return [`### ${manifest.title} (code ${manifest.code})`, inputText(manifest), own].join('\n\n');
}

function renderEvents({ name, manifest, events }: DescribedSandbox): string {
  return [`### ${manifest.title}`, `\`paywright trigger ${name} <event>\``, `\`\`\`text\n${wrap(events)}\n\`\`\``].join(
    '\n\n',
  );
}
