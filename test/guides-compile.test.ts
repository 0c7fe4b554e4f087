/** Compiles the TypeScript examples of the guides against the current contract. */
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { compileFolder, exportedBy, exportedNamesOf, writeTypeScriptConfig } from './support/compile.ts';
import { root } from './support/start-gateway.ts';

const guides = [
  ...readdirSync(join(root, 'adapters/guide')).map((name) => `adapters/guide/${name}`),
  'core/contract/README.md',
];

/** Declarations that the examples leave to the reader. */
const readers = `
import type { Action, AttemptFacts, Card, ErrorAnswers, HttpReply, HttpRequest, Money, Outcome, ProviderAdapter, RawCallback,
  ReportedEvent, StatusReport, StoredPayment, Submission, CreateSandbox, v } from '@paywright/contract';

export interface Options { readonly apiKey: string; readonly clientId: string; readonly clientSecret: string }
export type Fields = 'name';
export declare function post(options: Options, path: string, key: string, message: object): HttpRequest;
export declare function get(options: Options, path: string): HttpRequest;
export declare const errors: ErrorAnswers;
export declare function paymentOutcome(reply: HttpReply, payment: AttemptFacts): Outcome;
export declare function toCharge(payment: Submission<'card', 'name'>): object;
export declare function readStatus(reply: HttpReply, payment: StoredPayment): StatusReport;
export declare function cardOf(card: Card): object;
export declare function captureOutcome(reply: HttpReply, reference: string): Outcome;
export declare function readOrder(reply: HttpReply, payment: StoredPayment): { readonly state: string } | undefined;
export declare const Sent: v.GenericSchema<unknown, { readonly order: string }>;
export declare function orderRequest(options: Options, sent: { readonly order: string }): HttpRequest;
export declare function readAction(reply: HttpReply, payment: StoredPayment): Action | undefined;
export declare const sale: ReportedEvent;
export declare const returned: Money;

export interface Notice { readonly id: string }
export declare function headersOf(payment: AttemptFacts, options: unknown): Record<string, string>;
export declare function chargeBody(payment: AttemptFacts): string;
export declare function toOutcome(reply: HttpReply, payment: AttemptFacts): Outcome;
export declare function sealingKey(raw: RawCallback, options: unknown): number | undefined;
export declare function readNotice(raw: RawCallback): Notice;
export declare function toEvent(notice: Notice): ReportedEvent;
export declare const acme: ProviderAdapter<Options>;
export declare const sign: (raw: RawCallback) => RawCallback;
export declare const createSandbox: CreateSandbox;
`;

interface Example {
  /** Guide and line, used as a file name. */
  readonly name: string;
  readonly code: string;
}

/** Each code block except those that repeat a file: `adapters-guide.test.ts` compares these with the file. */
async function examplesOf(guide: string): Promise<Example[]> {
  const text = await readFile(join(root, guide), 'utf8');
  return [...text.matchAll(/(<!-- [\w/.-]+\.ts -->\n\n)?```ts\n([^]*?)\n```/g)]
    .filter(([, excerpt]) => excerpt === undefined)
    .map(({ index, 2: code = '' }) => {
      const line = text.slice(0, index).split('\n').length;
      return { name: `${guide.replaceAll(/\W/g, '-')}-${line}`, code };
    });
}

/** A module of the example. It imports every name that the example neither declares nor imports. */
function moduleOf(code: string, exported: Readonly<Record<string, readonly string[]>>): string {
  const whole = code.replace(', … }', ' }').replace(/^( *)…$/m, "$1throw new Error('…');");
  const own = new Set([
    ...[...whole.matchAll(/^(?:export )?(?:const|type|function) (\w+)/gm)].map(([, name]) => name),
    ...[...whole.matchAll(/^import \{(.*)\}/gm)].flatMap(([, names = '']) => names.split(',').map((one) => one.trim())),
  ]);
  const used = new Set([...whole.matchAll(/\b[A-Za-z]\w*\b/g)].map(([name]) => name).filter((name) => !own.has(name)));
  const seen = new Set<string>();
  const imports = Object.entries(exported).map(([from, names]) => {
    const found = names.filter((name) => used.has(name) && !seen.has(name));
    for (const name of found) seen.add(name);
    return `import { ${found.join(', ')} } from '${from}';`;
  });
  const body = whole.startsWith('return ') ? `export function report(): StatusReport {\n${whole}\n}` : whole;
  return [
    ...imports,
    ...(body === whole ? [] : ["import type { StatusReport } from '@paywright/contract';"]),
    body,
    'export {};',
    '',
  ].join('\n');
}

describe('an example in a guide', function () {
  this.timeout(300_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guides-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeTypeScriptConfig(folder);
    await writeFile(join(folder, 'readers.ts'), readers);
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  it('compiles against the contract', async () => {
    const declarations = join(root, 'core/contract/dist/index.d.ts');
    const exported = {
      './readers.ts': exportedBy(readers),
      '@paywright/contract': await exportedNamesOf(declarations),
      '@paywright/contract/testing': ['describeAdapter', 'fixtureText'],
    };
    const examples = (await Promise.all(guides.map(examplesOf))).flat();
    expect(examples).to.have.length.above(6);
    for (const { name, code } of examples) await writeFile(join(folder, `${name}.ts`), moduleOf(code, exported));
    const said = await compileFolder(folder);
    expect(said, said).to.equal('');
  });
});
