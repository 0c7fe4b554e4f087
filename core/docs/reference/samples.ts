/** The example of a call in curl, Node.js (the merchant's client) and Python. */
import type { Example, MediaType, Parameter } from '../../http/openapi/model.ts';
import type { CodeSample } from '../site/code-blocks.ts';
import type { Call } from './operations.ts';

/** Examples of a body or an answer. `named` finds an example of the document by its name. */
export function examplesOf(
  { example, examples = {} }: MediaType,
  named: Readonly<Record<string, Example>>,
): readonly Example[] {
  const all = Object.values(examples).flatMap((one) => {
    const found = '$ref' in one ? named[one.$ref.split('/').at(-1)!] : one;
    return found ? [found] : [];
  });
  return example === undefined ? all : [{ summary: 'Example', value: example }, ...all];
}

/** The body of the first example. Undefined: the call has no body, or needs none. */
export function bodyOf({ operation }: Call): unknown {
  const { requestBody } = operation;
  if (!requestBody?.required) return undefined;
  const media = requestBody.content['application/json'] ?? Object.values(requestBody.content)[0];
  return media ? examplesOf(media, {})[0]?.value : undefined;
}

export function samplesOf(call: Call, publicUrl: string, body: unknown = bodyOf(call)): readonly CodeSample[] {
  const samples = [{ title: 'curl', language: 'sh', code: curlOf(call, publicUrl, body) }];
  if (isStream(call)) return samples;
  return [
    ...samples,
    { title: 'Node.js', language: 'js', code: nodeOf(call, publicUrl, body) },
    { title: 'Python', language: 'python', code: pythonOf(call, publicUrl, body) },
  ];
}

/** A stream does not end, so the client has no method for it. */
function isStream({ operation }: Call): boolean {
  return operation.responses['200']?.content?.['text/event-stream'] !== undefined;
}

function pathValues({ parameters }: Call): readonly string[] {
  return parameters.filter((one) => one.in === 'path').map(exampleOf);
}

/** The example of a parameter in the path, as text. */
export function exampleOf({ example }: Parameter): string {
  return typeof example === 'string' || typeof example === 'number' ? String(example) : '1';
}

function addressOf(call: Call, publicUrl: string): string {
  const values = [...pathValues(call)];
  return publicUrl + call.path.replaceAll(/\{\w+\}/g, () => values.shift() ?? '');
}

function curlOf(call: Call, publicUrl: string, body: unknown): string {
  const isPost = call.method === 'POST';
  return [
    `curl ${isPost && body === undefined ? '-X POST ' : ''}${isStream(call) ? '-N ' : ''}${addressOf(call, publicUrl)}`,
    '  -H "X-API-Key: $KEY"',
    ...(isStream(call) ? [] : ["  -H 'Accept: application/json'"]),
    ...(isPost ? ['  -H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined
      ? []
      : ["  -H 'Content-Type: application/json'", `  -d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`]),
  ].join(' \\\n');
}

const clientPackage = '@paywright/client';

/** The client generates an Idempotency-Key for each POST. */
function nodeOf({ operation, path, ...call }: Call, publicUrl: string, body: unknown): string {
  const [, code] = /^\/payments\/h2h\/(\d+)$/.exec(path) ?? [];
  const method = code === undefined ? operation.operationId : 'payH2h';
  const ids = code === undefined ? pathValues({ operation, path, ...call }).map(toId) : [code];
  const values = [...ids, ...(body === undefined ? [] : [toJs(body)])];
  const isAnswered = call.method === 'GET' || operation.tags[0] !== 'Payments';
  return [
    `import { createClient } from '${clientPackage}';`,
    '',
    `const gateway = createClient({ baseUrl: '${publicUrl}', apiKey: process.env.KEY });`,
    `const answer = await gateway.${method}(${values.join(', ')});`,
    isAnswered ? 'console.log(answer);' : 'console.log(answer.paymentRequest.paymentRequestStatusId, answer.action);',
  ].join('\n');
}

function toId(value: string): string {
  return /^\d+$/.test(value) ? value : `'${value}'`;
}

function pythonOf(call: Call, publicUrl: string, body: unknown): string {
  const isPost = call.method === 'POST';
  const headers = ['"X-API-Key": os.environ["KEY"]', '"Accept": "application/json"'];
  if (isPost) headers.push('"Idempotency-Key": str(uuid.uuid4())');
  return [
    `import os${isPost ? ', uuid' : ''}`,
    'import requests',
    '',
    `answer = requests.${isPost ? 'post' : 'get'}(`,
    `    "${addressOf(call, publicUrl)}",`,
    `    headers={${headers.join(', ')}},`,
    ...(body === undefined ? [] : [`    json=${toPython(body, '    ')},`]),
    '    timeout=90,',
    ')',
    'print(answer.status_code, answer.json())',
  ].join('\n');
}

/** Amounts of the client are text, so that they stay exact. */
export function toJs(value: unknown, indent = '', key = ''): string {
  const inner = `${indent}  `;
  if (typeof value === 'number' && key === 'amount') return `'${Number.isInteger(value) ? value : value.toFixed(2)}'`;
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map((one) => toJs(one, indent)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => {
    const shown = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
    return `${inner}${shown}: ${toJs(one, inner, name)},\n`;
  });
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
}

export function toPython(value: unknown, indent = ''): string {
  const inner = `${indent}    `;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map((one) => toPython(one, indent)).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, one]) => `${inner}${JSON.stringify(name)}: ${toPython(one, inner)},\n`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
}
