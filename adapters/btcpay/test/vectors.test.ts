/**
 * Checks requests, answers and webhooks against BTCPay Server's OpenAPI document: against the parts in
 * `fixtures/openapi.json`, or against the document of your own server, which `BTCPAY_OPENAPI` names (the server has it
 * at `/swagger/v1/swagger.json`).
 */
import { readFileSync } from 'node:fs';
import type { AdapterContext, HttpReply, HttpRequest } from '@paywright/contract';
import { firstRefund, fixture, fixtureText, startRoundTrip } from '@paywright/contract/testing';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import btcpay from '../index.ts';
import type { Options } from '../options.ts';
import createSandbox from '../sandbox/index.ts';
import { harness, addressOptions } from './messages.ts';

const { submission } = harness;

type Json = Readonly<Record<string, unknown>>;
type Content = Readonly<Record<string, { readonly schema: Json }>>;
interface Operation {
  readonly parameters?: readonly { readonly in?: string; readonly name?: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Document {
  readonly info: { readonly title: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly 'x-webhooks': Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}
interface Exchange {
  readonly request?: { readonly method: string; readonly path: string; readonly body?: string } | null;
  readonly reply?: { readonly status: number; readonly body: string } | null;
}
interface Vectors {
  readonly callbacks: readonly {
    readonly name: string;
    readonly request: { readonly body: string };
    readonly expect: { readonly genuine: unknown };
  }[];
  readonly submissions: readonly (Exchange & { readonly name: string; readonly exchanges?: readonly Exchange[] })[];
}

/** Differences between the document and the server's source (README.md). */
const disagreements = [
  'the document has no includeArchived',
  'date must be string',
  'paymentProof must be object',
  'webhook InvoiceRefund: the document does not describe it',
  // Our own sample of an unknown event.
  'webhook InvoiceThawed: the document does not describe it',
];

/** The document as JSON Schema. In the document, one part of an object allows members of the other parts. */
function toSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSchema);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, additionalProperties: more, type, ...rest } = value as Json;
  const members = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, toSchema(member)]));
  if (more !== undefined && more !== false) members['additionalProperties'] = toSchema(more);
  if (type !== undefined) members['type'] = nullable === true && typeof type === 'string' ? [type, 'null'] : type;
  return members;
}

const jsonOf = (content: Content | undefined): Json | undefined => content?.['application/json']?.schema;

/** Lists what does not match the document, except its known differences from the source. */
function createJudge(document: Document) {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ components: toSchema(document.components) }, 'document');
  const faults: string[] = [];

  function hold(what: string, schema: Json | undefined, value: unknown): void {
    if (!schema) {
      faults.push(`${what}: the document does not describe it`);
      return;
    }
    const local = JSON.parse(JSON.stringify(toSchema(schema)).replaceAll('"#/', '"document#/')) as object;
    if (!ajv.validate(local, value))
      faults.push(...(ajv.errors ?? []).map((one) => `${what}: ${ajv.errorsText([one])}`));
  }

  function holdNames(what: string, given: Iterable<string>, known: readonly string[]): void {
    for (const name of given) if (!known.includes(name)) faults.push(`${what}: the document has no ${name}`);
  }

  /** From version 2.4.1 on, the document has an invoice without its store in the path; the server has both paths. */
  function operationOf(method: string, target: string): Operation | undefined {
    const [address = ''] = target.split('?');
    for (const one of [address, address.replace(/\/stores\/\w+(?=\/invoices\/)/, '')]) {
      for (const [pattern, operations] of Object.entries(document.paths)) {
        const form = new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
        if (form.test(one) && operations[method.toLowerCase()]) return operations[method.toLowerCase()];
      }
    }
    return undefined;
  }

  /** Names of members, including those of the parts that make up a schema. */
  function namesOf(schema: Json | undefined): readonly string[] {
    const {
      $ref = '',
      allOf = [],
      properties = {},
    } = (schema ?? {}) as {
      readonly $ref?: string;
      readonly allOf?: readonly Json[];
      readonly properties?: Json;
    };
    const named = document.components.schemas[$ref.split('/').at(-1) ?? ''];
    return [...Object.keys(properties), ...allOf.flatMap(namesOf), ...(named ? namesOf(named) : [])];
  }

  return {
    faults: () => faults.filter((fault) => !disagreements.some((known) => fault.endsWith(known))),

    exchange(name: string, { request, reply }: Exchange): void {
      if (!request) return;
      const what = `${name}: ${request.method} ${request.path}`;
      const operation = operationOf(request.method, request.path);
      if (!operation) {
        faults.push(`${what}: the document has no such operation`);
        return;
      }
      const known = operation.parameters?.flatMap((one) => (one.in === 'query' ? (one.name ?? []) : [])) ?? [];
      holdNames(what, new URLSearchParams(request.path.split('?')[1] ?? '').keys(), known);
      if (request.body !== undefined) {
        const schema = jsonOf(operation.requestBody?.content);
        const body = JSON.parse(request.body) as Json;
        hold(what, schema, body);
        holdNames(what, Object.keys(body), namesOf(schema));
      }
      if (reply?.status !== 200) return;
      hold(`${what}, answer`, jsonOf(operation.responses['200']?.content), JSON.parse(reply.body));
    },

    webhook(body: string): void {
      const message = JSON.parse(body) as Json;
      const type = String(message['type']);
      hold(`webhook ${type}`, jsonOf(document['x-webhooks'][type]?.post.requestBody?.content), message);
    },
  };
}

describe('the OpenAPI document of a BTCPay Server', () => {
  let judge: ReturnType<typeof createJudge>;
  beforeEach(() => {
    const path = process.env['BTCPAY_OPENAPI'];
    const text = path === undefined ? fixtureText(import.meta.url, 'openapi.json') : readFileSync(path, 'utf8');
    judge = createJudge(JSON.parse(text) as Document);
  });

  it('describes every message of the samples', () => {
    const vectors = fixture(import.meta.url, 'vectors.json') as Vectors;
    for (const { name, exchanges, ...single } of vectors.submissions) {
      for (const exchange of exchanges ?? [single]) judge.exchange(name, exchange);
    }
    for (const { request, expect: expected } of vectors.callbacks) {
      if (expected.genuine === true) judge.webhook(request.body);
    }
    expect(judge.faults()).to.deep.equal([]);
  });

  it('has a published message for each of its webhooks', () => {
    const text = fixtureText(import.meta.url, 'openapi.json');
    const { 'x-webhooks': webhooks } = JSON.parse(text) as Document;
    const { types } = fixture(import.meta.url, 'published.json') as { readonly types: readonly string[] };
    expect(types).to.include.members(Object.keys(webhooks));
  });

  it('does not describe a message with an unknown member or a member of another type', () => {
    const request = { method: 'POST', path: '/api/v1/stores/S1/invoices' };
    judge.exchange('odd', { request: { ...request, body: JSON.stringify({ amount: '1', odd: 1 }) } });
    judge.exchange('odd', { request: { ...request, body: JSON.stringify({ amount: {} }) } });
    expect(judge.faults().join()).to.match(/the document has no odd.*amount must be string/);
  });

  it('describes every call and report of the sandbox', async () => {
    const trip = await startRoundTrip({ adapter: btcpay, createSandbox, options: addressOptions });
    const watched: AdapterContext<Options> = {
      ...trip.provider,
      http: {
        async send(request: HttpRequest): Promise<HttpReply> {
          const reply = await trip.provider.http.send(request);
          const { method, path, body } = request;
          judge.exchange('sandbox', {
            request: { method, path, ...(body === undefined ? {} : { body: String(body) }) },
            reply: { status: reply.status, body: Buffer.from(reply.body).toString() },
          });
          return reply;
        },
      },
    };
    try {
      const given = { ...submission, sandbox: true };
      const stored = trip.toStored(given, await btcpay.submit(given, watched));
      await trip.until(() => trip.reported().includes('InvoiceSettled succeeded'));
      await btcpay.fetchStatus!(stored, watched);
      const refund = { reference: 'GW-10042-1-R1', money: { amount: '10', currency: 'EUR' }, ...firstRefund };
      const { providerReference } = await btcpay.refund!(stored, refund, watched);
      await trip.until(() => trip.reported().includes('Completed pending'));
      await btcpay.fetchStatus!({ ...stored, adapterState: { refunds: 'begun' } }, watched);
      await btcpay.fetchStatus!(stored, watched, providerReference);
      await btcpay.checkAccount!(watched);
      for (const { request } of trip.deliveries) if (request) judge.webhook(String(request.body));
    } finally {
      await trip.close();
    }
    expect(judge.faults()).to.deep.equal([]);
  });
});
