/**
 * Checks that the generated files of core/client match the OpenAPI document, and that their types accept its examples.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { readExact } from '../../core/client/exact-json.ts';
import { amountMembers } from '../../core/client/generated/calls.ts';
import type { OpenApiDocument } from '../../core/http/index.ts';
import { merchantOperations } from '../../core/http/openapi/index.ts';
import type { Example, MediaType } from '../../core/http/openapi/model.ts';
import { root } from '../support/start-gateway.ts';
import { readDocument, renderGeneratedFiles } from './generated-files.ts';
import { schemasOf } from './render-types.ts';

const runFile = promisify(execFile);

describe('the generated code of the client', () => {
  let document: OpenApiDocument;
  before(async () => {
    ({ document } = await readDocument());
  });

  const jsonOf = (content: Readonly<Record<string, MediaType>> | undefined): MediaType => content!['application/json']!;
  const examplesOf = ({ example, examples = {} }: MediaType): Example[] => [
    ...(example === undefined ? [] : [{ summary: '', value: example }]),
    ...Object.values(examples).map((one) =>
      '$ref' in one ? document.components.examples[one.$ref.replace('#/components/examples/', '')]! : one,
    ),
  ];
  /** A statement that compiles if the example has the type. */
  const statementOf = (type: string, { value }: Example): string =>
    `take<${type}>(${JSON.stringify(readExact(JSON.stringify(value)))});`;

  it('matches the document: npm run generate -w @paywright/client', async () => {
    const files = await renderGeneratedFiles();
    for (const [path, text] of Object.entries(files)) expect(await readFile(path, 'utf8'), path).to.equal(text);
    const folder = dirname(Object.keys(files)[0]!);
    expect((await readdir(folder)).map((name) => join(folder, name))).to.have.members(Object.keys(files));
  });

  it('has types that accept every example of the document', async function () {
    this.timeout(120_000);
    const calls = merchantOperations(document).flatMap(({ path, operation }) => {
      const { operationId, requestBody, responses } = operation;
      const call = `GatewayClient['${operationId}']`;
      const body = `NonNullable<Parameters<${call}>[${path.includes('{') ? 1 : 0}]>`;
      return [
        ...(requestBody ? examplesOf(jsonOf(requestBody.content)) : []).map((one) => statementOf(body, one)),
        ...examplesOf(jsonOf(responses['200']!.content)).map((one) => statementOf(`Awaited<ReturnType<${call}>>`, one)),
      ];
    });
    const notifications = Object.values(document.webhooks).flatMap(({ post }) =>
      examplesOf(jsonOf(post!.requestBody!.content)).map((one) => statementOf('WebhookNotification', one)),
    );
    const problems = Object.entries(document.components.schemas)
      .filter(([name]) => /^[A-Z]+\d{3}$/.test(name))
      .flatMap(([, { examples = [] }]) => examples.map((value) => statementOf('Problem', { summary: '', value })));
    for (const some of [calls, notifications, problems]) expect(some.length).to.be.greaterThan(10);

    const types = join(root, 'core/client/dist/generated/types.js');
    const head = [
      `import type { GatewayClient, Problem, WebhookNotification } from '${types}';`,
      'declare function take<T>(value: T): void;',
    ];
    expect(await compileErrorsOf([...head, ...calls, ...notifications, ...problems, ''].join('\n'))).to.equal('');
  });

  it('treats no member as an amount that is text in a body or a whole number anywhere', () => {
    const { schemas } = document.components;
    const bodies = merchantOperations(document).map(({ operation }) => operation.requestBody ?? {});
    const others = [...schemasOf(bodies, document)].map((name) => schemas[name]);
    expect(membersNotOfType(/^(number|null)$/, others)).to.deep.equal([]);
    expect(membersNotOfType(/^(number|string|null)$/, schemas)).to.deep.equal([]);
    expect(membersNotOfType(/^null$/, schemas)).to.include('amount');
  });
});

/** Members that are named as amounts and have other types. */
function membersNotOfType(types: RegExp, part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own =
    'properties' in part
      ? Object.entries(part.properties as Readonly<Record<string, { readonly type?: unknown }>>)
      : [];
  const wrong = own.filter(
    ([name, { type }]) => amountMembers.has(name) && ![type].flat().every((one) => types.test(String(one))),
  );
  return [...wrong.map(([name]) => name), ...Object.values(part).flatMap((inner) => membersNotOfType(types, inner))];
}

/** The compiler's errors for a module. */
async function compileErrorsOf(code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'client-types-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'examples.ts'), code);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const flags = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--module', 'nodenext', '--types', 'node'];
    return await runFile(process.execPath, [tsc, ...flags, 'examples.ts'], { cwd: folder }).then(
      () => '',
      (error: unknown) => (error as { readonly stdout: string }).stdout,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
