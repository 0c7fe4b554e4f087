/** Compares requests and answers with the OpenAPI document, and throws at the first contradiction. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { rateHeaders, type Header } from '../openapi/headers.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import type { OpenApiDocument } from '../openapi/index.ts';
import type { Operation, Parameter, Response as Answer } from '../openapi/model.ts';

export interface Exchange {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly requestHeaders: Headers;
  /** The body as text; undefined if there was no body or it was no text. */
  readonly requestBody: string | undefined;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export interface Judge {
  /** Throws an Error that names every contradiction between the exchange and the document. */
  judge(exchange: Exchange): void;
  /** The same for a received notification. */
  judgeNotification(body: string, headers: Headers): void;
  /** Why the value does not match the named schema; undefined: it matches. Unknown members are refused. */
  refusal(schemaName: string, value: unknown): string | undefined;
}

export interface JudgeOptions {
  /** Paths whose answers come from a double, and are no answers of a real service. */
  readonly ignores?: RegExp;
  /** True: the document must refuse every form that was refused. */
  readonly isStrict?: boolean;
}

export function createJudge(document: OpenApiDocument, { ignores, isStrict = false }: JudgeOptions = {}): Judge {
  const answers = createValidators(close(document) as OpenApiDocument, { assertsUris: true });
  const requests = createValidators(document, { assertsUris: false });

  function judge(exchange: Exchange): void {
    const path = exchange.path.split(/[?#]/)[0] ?? '';
    if (ignores?.test(path)) return;
    const found = findOperation(document, exchange.method, path);
    const wrong = found ? [...judgeAnswer(found, exchange), ...judgeRequest(found, exchange)] : judgeStranger(exchange);
    if (wrong.length > 0) {
      const what = `${exchange.method} ${path} answered ${exchange.status} ${exchange.body.slice(0, 2000)}`;
      throw new Error(`the document contradicts: ${wrong.join('; ')}\n${what}`);
    }
  }

  /** A path that is not in the document does not exist. An address may ask for such paths only so often. */
  function judgeStranger({ method, status, headers, body }: Exchange): string[] {
    if (status !== 404 && status !== 429) return ['it has no such path and method, so this must be 404 or 429'];
    const names = ['X-Request-Id', ...(status === 429 ? ['Retry-After', ...rateHeaders] : [])];
    const known = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
    const wrong = judgeHeaders(known, headers);
    const code = status === 404 ? 'NF001' : 'RATE001';
    return method === 'HEAD' ? wrong : [...wrong, ...refuse(refusal(code, readJson(body)))];
  }

  function judgeAnswer({ operation, pointer }: Found, { method, status, headers, body }: Exchange): string[] {
    const name = [String(status), `${String(status)[0]}XX`].find((key) => Object.hasOwn(operation.responses, key));
    if (name === undefined) return [`it has no answer ${status}`];
    const answer = operation.responses[name]!;
    const wrong = judgeHeaders(answer.headers ?? {}, headers);
    // Adapters decide the answers to providers. A redirected browser gets no body.
    if (method === 'HEAD' || (!answer.content && status !== 303)) return wrong;
    return [...wrong, ...judgeContent(answer, `${pointer}/responses/${name}`, headers, body)];
  }

  function judgeContent({ content }: Answer, pointer: string, headers: Headers, body: string): string[] {
    if (!content) return body === '' ? [] : ['the answer has no body'];
    const type = (headers.get('content-type') ?? '').split(';')[0]!.trim();
    if (!Object.hasOwn(content, type))
      return [`the answer is none of ${Object.keys(content).join(', ')} but ${type || 'untyped'}`];
    const value = type.endsWith('json') ? readJson(body) : body;
    if (type === 'application/problem+json') return judgeProblem(content[type]!.schema, value);
    return refuse(answers(`${pointer}/content/${escapePointer(type)}/schema`, value));
  }

  /** Judges the one kind that the code names, so that the error message is specific. */
  function judgeProblem({ $ref, oneOf = [{ $ref: $ref! }] }: JsonSchema, problem: unknown): string[] {
    const { code = 'none' } = (problem ?? {}) as { code?: string };
    const isDocumented = oneOf.some((kind) => kind.$ref === `#/components/schemas/${code}`);
    return isDocumented ? refuse(refusal(code, problem)) : [`it has no ${code} here`];
  }

  function judgeHeaders(documented: NonNullable<Answer['headers']>, headers: Headers): string[] {
    const known = Object.entries(documented).map(([name, { $ref }]) => {
      const key = $ref.slice('#/components/headers/'.length);
      const { required, schema }: Header = document.components.headers[key]!;
      const given = headers.get(name);
      if (given === null) return required ? `the header ${name} is missing` : undefined;
      const value = schema.type === 'integer' ? Number(given) : given;
      const refused = answers(`/components/headers/${escapePointer(key)}/schema`, value);
      return refused && `header ${name}: ${refused}`;
    });
    const strangers = Object.keys(document.components.headers)
      .filter((name) => !/-(if-known|onward)$/.test(name) && headers.has(name) && !Object.hasOwn(documented, name))
      .map((name) => `the header ${name} is not in the answer`);
    return [...known.filter((one) => one !== undefined), ...strangers];
  }

  function judgeRequest({ operation, pointer }: Found, exchange: Exchange): string[] {
    // A batch with refused entries answers 200: the document refuses their form, as the service does.
    if (exchange.status === 200 && hasRefusedEntries(readJson(exchange.body))) return [];
    if (exchange.status === 200 || exchange.status === 201) {
      return [...judgeParameters(operation, exchange), ...refuse(refusedBody(operation, pointer, exchange))].map(
        (why) => `it refuses what was accepted: ${why}`,
      );
    }
    const isRefused = isStrict && exchange.status === 400 && isAboutForm(operation, readJson(exchange.body));
    if (!isRefused || !isObject(readJson(exchange.requestBody ?? ''))) return [];
    return refusedBody(operation, pointer, exchange) ? [] : ['it accepts the body that was refused'];
  }

  function refusedBody({ requestBody }: Operation, pointer: string, exchange: Exchange): string | undefined {
    const text = exchange.requestBody;
    if (!requestBody || !text) return requestBody?.required ? 'there is no body' : undefined;
    const type = (exchange.requestHeaders.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
    if (Object.hasOwn(requestBody.content, '*/*')) return undefined;
    if (!Object.hasOwn(requestBody.content, type)) return `${type || 'untyped'} is none of its content types`;
    if (!type.endsWith('json')) return undefined;
    return requests(
      `${pointer}/requestBody/content/${escapePointer(type)}/schema`,
      readJson(text.replace(/^\uFEFF/, '')),
    );
  }

  function judgeParameters({ parameters = [] }: Operation, { path, requestHeaders }: Exchange): string[] {
    const query = new URLSearchParams(path.split('?')[1] ?? '');
    return parameters.flatMap((one) => {
      const key = '$ref' in one ? one.$ref.slice('#/components/parameters/'.length) : undefined;
      const parameter = key === undefined ? (one as Parameter) : document.components.parameters[key]!;
      const given = { query: query.get(parameter.name), header: requestHeaders.get(parameter.name), path: null };
      const value = given[parameter.in];
      if (value === null) return [];
      const { $ref, type } = parameter.schema;
      const refused = requests($ref?.slice('#'.length) ?? parameter.schema, coerce(value, type));
      return refused ? [`${parameter.name}: ${refused}`] : [];
    });
  }

  function refusal(schemaName: string, value: unknown): string | undefined {
    return answers(`/components/schemas/${schemaName}`, value);
  }

  function judgeNotification(body: string, headers: Headers): void {
    const value = readJson(body) as { readonly type?: string } | undefined;
    const operation = document.webhooks[value?.type ?? '']?.post;
    if (!operation) throw new Error(`the document has no notification of the type ${value?.type}`);
    const missing = (operation.parameters as readonly Parameter[])
      .filter(({ name, required }) => required && !headers.has(name))
      .map(({ name }) => `the header ${name} is missing`);
    const pointer = `/webhooks/${value!.type}/post/requestBody/content/application~1json/schema`;
    const wrong = [...missing, ...refuse(answers(pointer, value))];
    if (wrong.length > 0) throw new Error(`the document contradicts: ${wrong.join('; ')}\n${body}`);
  }

  return { judge, judgeNotification, refusal };
}

interface Found {
  readonly operation: Operation;
  readonly pointer: string;
}

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Paths without parameters come before paths with parameters. */
function findOperation({ paths }: OpenApiDocument, method: string, path: string): Found | undefined {
  const named = method === 'HEAD' ? 'get' : method.toLowerCase();
  const verb = verbs.find((one) => one === named);
  if (!verb) return undefined;
  const bare = path.replace(/^\/v2(?=\/)/, '');
  const names = Object.keys(paths).filter((name) => {
    const address = paths[name]?.servers ? path : bare;
    return paths[name]?.[verb] && new RegExp(`^${name.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(address);
  });
  const [name] = names.toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')));
  const operation = name === undefined ? undefined : paths[name]?.[verb];
  return operation && { operation, pointer: `/paths/${escapePointer(name!)}/${verb}` };
}

function hasRefusedEntries(answer: unknown): boolean {
  const { results } = (answer ?? {}) as { results?: unknown };
  return Array.isArray(results) && results.some((result) => isObject(result) && 'error' in result);
}

/** Rules of forms that a schema can express. The document describes the other rules in words. */
const formalRule =
  /^must (be (text|an object|true or false|a whole number|from \d|a number|more than 0|a list)|have at (least|most) \d+ (characters|entries))/;

interface FormDetails {
  readonly field?: string;
  readonly errors?: readonly { readonly message: string }[];
  readonly missingFields?: readonly string[];
}

/** True if a schema could refuse every missing or wrong member of the body. */
function isAboutForm({ requestBody, parameters = [] }: Operation, problem: unknown): boolean {
  const { code, details } = (problem ?? {}) as { code?: string; details?: FormDetails };
  if (!requestBody) return false;
  // Only words say that a mail needs an address.
  if (code === 'VAL001') return details?.missingFields?.join() !== 'clientEmail';
  const isElsewhere = /^(body|Content-\w+|Idempotency-Key)$/.test(details?.field ?? 'body');
  const isInQuery = parameters.some((one) => 'name' in one && one.name === details?.field);
  if (code !== 'VAL002' || isElsewhere || isInQuery) return false;
  return details?.errors?.every(({ message }) => formalRule.test(message)) ?? false;
}

export type Validators = (schema: string | object, value: unknown) => string | undefined;

/** Validates by a schema or by its pointer in the document. Each schema is compiled once. */
export function createValidators(
  document: OpenApiDocument,
  { assertsUris }: { readonly assertsUris: boolean },
): Validators {
  const ajv = new Ajv2020({ strict: false });
  ajvFormats.default(ajv, ['date', 'date-time', 'int32', 'int64', 'double', 'uri', 'uri-reference']);
  // A merchant's address may be a URL only for browsers. The pattern next to it checks e-mail addresses.
  if (!assertsUris) ajv.addFormat('uri', true);
  ajv.addFormat('email', true);
  ajv.addSchema(document, 'document');
  const compiled = new Map<string | object, ValidateFunction>();
  return (schema, value) => {
    const validate =
      compiled.get(schema) ?? ajv.compile(typeof schema === 'string' ? { $ref: `document#${schema}` } : schema);
    compiled.set(schema, validate);
    if (validate(value)) return undefined;
    return ajv.errorsText(validate.errors, { dataVar: 'it' });
  };
}

/** Refuses members that the schema of an object does not name. */
export function close(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(close);
  if (!isObject(part)) return part;
  const closed = Object.fromEntries(Object.entries(part).map(([name, member]) => [name, close(member)]));
  return 'properties' in part && !('additionalProperties' in part)
    ? { ...closed, additionalProperties: false }
    : closed;
}

function coerce(text: string, type: unknown): unknown {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // If JSON is required, no schema accepts undefined.
  }
}

function refuse(why: string | undefined): string[] {
  return why === undefined ? [] : [why];
}

/** Escapes a name for a JSON pointer. */
export function escapePointer(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
