/** Generates parts of core/client from the OpenAPI document: types, the table of calls, the Postman collection. */
import { join } from 'node:path';
import { loadConfig } from '../../config/load-config.ts';
import type { OpenApiDocument } from '../../core/http/index.ts';
import { toHttpConfig } from '../../core/http/http-config.ts';
import type { JsonSchema } from '../../core/http/openapi/json-schema.ts';
import type { Operation, RequestBody } from '../../core/http/openapi/model.ts';
import { exampleAt } from '../../core/http/openapi/examples.ts';
import { createOpenApi } from '../../core/app.ts';
import { createPostmanCollection, isErrorCode, merchantOperations } from '../../core/http/openapi/index.ts';
import { root } from '../support/start-gateway.ts';
import { amountsOf, csvName, hasCsv, renderCall, renderDeclaration, renderType, schemasOf } from './render-types.ts';

const folder = join(root, 'core/client/generated');
const head = '/** Generated from the OpenAPI document by `npm run generate -w @paywright/client`. */\n';

/** The document without any provider: the part that is the same for every gateway. */
export async function readDocument(): Promise<{ readonly document: OpenApiDocument; readonly publicUrl: string }> {
  const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
  const { publicUrl } = config.server;
  const now = new Date(exampleAt);
  const facts = { config: toHttpConfig(config), adapters: [], hasNotifications: true, hasReports: true, now };
  return { document: createOpenApi(facts), publicUrl };
}

/** The content of each file, by path. */
export async function renderGeneratedFiles(): Promise<Readonly<Record<string, string>>> {
  const { document, publicUrl } = await readDocument();
  return {
    [join(folder, 'types.ts')]: renderTypes(document),
    [join(folder, 'calls.ts')]: renderCalls(document),
    [join(folder, 'postman-collection.json')]:
      `${JSON.stringify(createPostmanCollection(document, publicUrl), null, 2)}\n`,
  };
}

function renderTypes(document: OpenApiDocument): string {
  const operations = merchantOperations(document);
  const events = Object.values(document.webhooks).map(({ post }) => jsonOf(post!.requestBody!.content));
  const inProblems = schemasOf(
    operations.map(({ operation }) => problemsOf(operation)),
    document,
  );
  const problems = [...inProblems].filter(isErrorCode);
  const named = schemasOf([operations, events], document);
  const declared = Object.entries(document.components.schemas).filter(([name]) => named.has(name));
  return [
    `${head}import type { CallOptions, WriteOptions } from '../options.ts';\n`,
    '/**\n * A method for each operation: the ids of its path, then the body, then options. It throws a `CallError`, or the\n' +
      ' * reason of the signal.\n */\n' +
      `export interface GatewayClient {\n${operations.map(renderCall).join('')}}\n`,
    `/** The reason of a failed call, distinguished by \`code\`. */\nexport type Problem = ${problems.join(' | ')};\n`,
    '/** The message that is posted to `notifyUrl`, distinguished by `type`. */\n' +
      `export type WebhookNotification = ${renderType({ oneOf: events })};\n`,
    ...declared.map(([name, schema]) => `${renderDeclaration(name, schema)}\n`),
  ].join('\n');
}

const callType =
  "interface Call {\n  readonly method: 'GET' | 'POST';\n  readonly path: string;\n" +
  '  /** The answer is CSV text. */\n  readonly isText?: true;\n}\n\n';

function renderCalls(document: OpenApiDocument): string {
  const rows = merchantOperations(document).flatMap(({ method, path, operation }) => {
    const call = `method: '${method}', path: '${path}'`;
    const rows = [`  ${operation.operationId}: { ${call} },\n`];
    return hasCsv(operation) ? [...rows, `  ${csvName(operation)}: { ${call}, isText: true },\n`] : rows;
  });
  const amounts = [...new Set(amountsOf(document.components.schemas))].map((name) => `  '${name}',\n`);
  return [
    `${head}import type { GatewayClient } from './types.ts';\n`,
    `${callType}export const calls: Readonly<Record<keyof GatewayClient, Call>> = {\n${rows.join('')}};\n`,
    `/** The members of bodies and answers that are amounts. */\nexport const amountMembers: ReadonlySet<string> = new Set([\n${amounts.join('')}]);\n`,
  ].join('\n');
}

function problemsOf({ responses }: Operation): unknown[] {
  return Object.values(responses).map(({ content }) => content?.['application/problem+json']);
}

function jsonOf(content: RequestBody['content']): JsonSchema {
  return content['application/json']!.schema;
}
