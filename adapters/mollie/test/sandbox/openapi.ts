/**
 * Checks every request and answer of the vectors, the sandbox's answers to the adapter's calls, and our tables against
 * Mollie's OpenAPI document. The document is not in this repository (README.md, *Independent checks*): run with
 * `MOLLIE_OPENAPI=/path/to/specs.yaml npm run judge:openapi`, not by the tests.
 */
import { readFile } from 'node:fs/promises';
import type { HttpReply, HttpRequest, StoredPayment } from '@paywright/contract';
import {
  firstRefund,
  fixtureText,
  readVectorFile,
  startRoundTrip,
  firstVoid,
  actionOf,
  pressButton,
} from '@paywright/contract/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import mollie from '../../index.ts';
import createSandbox from '../../sandbox/index.ts';
import { captureStatuses, declines, statuses } from '../../statuses.ts';
import { harness } from '../messages.ts';

const { options, submission } = harness;

type Json = Readonly<Record<string, unknown>>;
interface WithBody {
  readonly body?: string | Uint8Array | null | undefined;
}
interface Asked extends WithBody {
  readonly method: string;
  readonly path: string;
}
interface Answered extends WithBody {
  readonly status: number;
}

const textOf = (body: string | Uint8Array): string => Buffer.from(body).toString();

const path = process.env['MOLLIE_OPENAPI'];
if (!path) throw new Error('MOLLIE_OPENAPI names no file: set it to specs.yaml of github.com/mollie/openapi');
const document = parse(await readFile(path, 'utf8')) as Json;
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, allErrors: true });
ajv.addSchema(toJsonSchema(document, false), 'answers');
ajv.addSchema(toJsonSchema(document, true), 'requests');

const faults: string[] = [];
let judged = 0;

function at(pointer: readonly string[]): unknown {
  return pointer.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], document);
}

/** Walks the path of the document's object and follows references. */
function resolve(pointer: readonly string[]): readonly string[] {
  const reference = (at(pointer) as Json | undefined)?.['$ref'];
  return typeof reference === 'string' ? resolve(pathOf(reference)) : pointer;
}

function pathOf(reference: string): readonly string[] {
  const names = reference.split('/').slice(1);
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * The document as JSON Schema. A nullable type may be null despite its list of values (an open payment has no method).
 * Read-only members are not required in a request.
 */
function toJsonSchema(value: unknown, isRequest: boolean): Json {
  const read = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(read);
    if (typeof one !== 'object' || one === null) return one;
    const made: Record<string, unknown> = Object.fromEntries(
      Object.entries(one).map(([name, member]) => [name, read(member)]),
    );
    const { type, enum: values, required, properties } = made;
    if (Array.isArray(type) && type.includes('null') && Array.isArray(values)) made['enum'] = [...values, null];
    if (isRequest && Array.isArray(required)) {
      made['required'] = required.filter((name) => !isReadOnly((properties as Json | undefined)?.[String(name)]));
    }
    return made;
  };
  return read(value) as Json;
}

function isReadOnly(property: unknown): boolean {
  const { readOnly, $ref } = (property ?? {}) as Json;
  return readOnly === true || (typeof $ref === 'string' && isReadOnly(at(pathOf($ref))));
}

/** Checks a body against a schema of the document. A request may have no members except those that the schema names. */
function judge(what: string, body: string, pointer: readonly string[], isRequest: boolean): void {
  const names = pointer.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')));
  const $ref = `${isRequest ? 'requests' : 'answers'}#/${names.join('/')}`;
  const validate = ajv.compile(isRequest ? { allOf: [{ $ref }], unevaluatedProperties: false } : { $ref });
  judged += 1;
  if (validate(JSON.parse(body))) return;
  for (const { instancePath, message, params } of validate.errors ?? []) {
    faults.push(`${what}: ${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`);
  }
}

const templates = Object.keys(document['paths'] as Json);

function operationOf({ method, path }: Asked): readonly string[] | undefined {
  const [asked = ''] = path.split('?');
  const fits = (template: string): boolean => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked);
  // A path without parameters comes before a path with one: /profiles/me.
  const template = templates.filter(fits).toSorted((one, other) => one.split('{').length - other.split('{').length)[0];
  return template === undefined ? undefined : ['paths', template, method.toLowerCase()];
}

function judgeExchange(name: string, request: Asked, reply: Answered | null | undefined): void {
  const what = `${name}: ${request.method} ${request.path}`;
  const operation = operationOf(request);
  if (!operation || !at(operation)) return void faults.push(`${what}: the document has no such operation`);
  if (request.body?.length) {
    const content = [...resolve([...operation, 'requestBody']), 'content', 'application/json', 'schema'];
    judge(what, textOf(request.body), content, true);
  }
  const answer = reply?.body?.length ? textOf(reply.body) : undefined;
  if (!reply || !answer?.startsWith('{')) return;
  const response = [...operation, 'responses', String(reply.status)];
  // Some errors that its guides name are missing in the document; all have one form.
  const content = [...resolve(response), 'content', 'application/hal+json', 'schema'];
  const schema = at(response) ? content : ['components', 'schemas', 'error-response'];
  judge(`${what}: ${reply.status}`, answer, schema, false);
  // The document says what may be embedded in a payment, but not how.
  const { resource, _embedded } = JSON.parse(answer) as { resource?: string; _embedded?: Record<string, unknown[]> };
  if (resource !== 'payment') return;
  for (const [name, embedded] of Object.entries(_embedded ?? {})) {
    const shape = ['components', 'schemas', shapes[name] ?? 'entity-chargeback'];
    for (const one of embedded) judge(`${what}: ${name}`, JSON.stringify(one), shape, false);
  }
}

/** The document's names for the embedded objects of a payment. */
const shapes: Readonly<Record<string, string>> = { captures: 'capture-response', refunds: 'entity-refund-response' };

async function judgeSandbox(): Promise<void> {
  for (const captureMode of ['automatic', 'manual'] as const) {
    const own = { ...options, captureMode };
    const trip = await startRoundTrip({ adapter: mollie, createSandbox, options: own });
    const { http } = trip.provider;
    const ctx = {
      ...trip.provider,
      http: {
        async send(request: HttpRequest): Promise<HttpReply> {
          const reply = await http.send(request);
          judgeExchange('sandbox', request, reply);
          return reply;
        },
      },
    };
    const stored = async (choice: string): Promise<StoredPayment> => {
      const given = { ...submission, reference: `GW-${judged}-1` };
      const outcome = await mollie.submit(given, ctx);
      await pressButton(actionOf(outcome), { status: choice });
      return trip.toStored(given, outcome);
    };
    const money = { amount: '5', currency: 'EUR' };
    if (captureMode === 'manual') {
      const [held, released] = [await stored('authorized'), await stored('authorized')];
      await mollie.capture!(held, { reference: 'GW-1-1-C', money: held.money }, ctx);
      await mollie.void!(released, ctx, firstVoid);
      await trip.until(() => trip.heard.length === 4);
      await mollie.fetchStatus!(held, ctx);
      await mollie.void!(held, ctx, firstVoid);
    } else {
      for (const choice of ['pending', 'failed', 'canceled', 'expired']) {
        await mollie.fetchStatus!(await stored(choice), ctx);
      }
      const paid = await stored('paid');
      for (const isRepetition of [false, true]) {
        await mollie.refund!(paid, { ...firstRefund, reference: 'GW-1-1-R1', money, isRepetition }, ctx);
      }
      await mollie.refund!(paid, { ...firstRefund, reference: 'GW-1-1-R2', money }, ctx);
      await pressButton(paid.action, { status: 'chargeback' });
      await mollie.fetchStatus!(paid, ctx);
      await pressButton(paid.action, { status: 'reverse chargeback' });
      await mollie.fetchStatus!(paid, ctx);
      await mollie.fetchStatus!({ ...paid, providerReference: 'tr_None' }, ctx);
    }
    await mollie.checkAccount!(ctx);
    await mollie.checkAccount!({ ...ctx, options: { ...own, methods: ['ideal'] } });
    await trip.close();
  }
}

function judgeList(what: string, ours: readonly string[], pointer: readonly string[]): void {
  const theirs = at(pointer);
  const known = Array.isArray(theirs) ? theirs.filter((one) => typeof one === 'string') : [];
  judged += 1;
  if ([...known].sort().join() !== [...ours].sort().join()) faults.push(`${what}: the document has ${known.join()}`);
}

/** Skips answers that a vector breaks on purpose, and answers that are not Mollie's own. */
function judgeVectors(): void {
  const { submissions, callbacks } = readVectorFile(fixtureText(import.meta.url, 'vectors.json'));
  for (const { name, exchanges, expect } of submissions) {
    const isWrong = expect['outcome'] === 'unknown' || name.includes('no table knows');
    for (const { request, reply } of exchanges) if (request) judgeExchange(name, request, isWrong ? null : reply);
  }
  for (const { name, fetch } of callbacks) {
    if (fetch?.request) judgeExchange(name, fetch.request, fetch.reply);
  }
}

judgeVectors();
await judgeSandbox();
const enums = (name: string): readonly string[] => ['components', 'schemas', name, 'enum'];
judgeList('statuses of a payment', Object.keys(statuses.payment), enums('payment-status'));
judgeList('statuses of a refund', Object.keys(statuses.refund), enums('refund-status'));
judgeList('statuses of a capture', Object.keys(captureStatuses), enums('capture-status'));
judgeList('reasons of a failure', Object.keys(declines), enums('payment-details-failure-reason-response'));

for (const fault of faults) console.error(fault);
console.log(
  `${judged} checked against version ${String((document['info'] as Json)['version'])}: ${faults.length} faults`,
);
if (faults.length > 0) process.exitCode = 1;
