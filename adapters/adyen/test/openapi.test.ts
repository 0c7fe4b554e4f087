import { fixture, reply, scriptedHttp, startRoundTrip } from '@paywright/contract/testing';
import type { AdapterContext, HttpReply, HttpRequest } from '@paywright/contract';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkAccount } from '../check-account.ts';
import adyen from '../index.ts';
import type { Options } from '../options.ts';
import createSandbox from '../sandbox/index.ts';
import { harness } from './messages.ts';

const { createContext, options, submission } = harness;

type Schemas = Readonly<Record<string, object>>;
const openapi = fixture(import.meta.url, 'openapi.json') as {
  readonly requests: Schemas;
  readonly answers: Schemas;
  readonly webhooks: { readonly item: object };
};
const vectors = fixture(import.meta.url, 'vectors.json') as {
  readonly submissions: readonly {
    readonly name: string;
    readonly request: { readonly method: string; readonly path: string; readonly body: string } | null;
    readonly reply?: { readonly status: number; readonly body: string } | null;
    readonly expect: { readonly outcome: string };
  }[];
  readonly callbacks: readonly {
    readonly request: { readonly body: string };
    readonly expect: { readonly genuine: unknown };
  }[];
};

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });

function hold(what: string, schema: object | undefined, body: string | Uint8Array): void {
  expect(schema, `${what}: the document has no such operation`).to.be.an('object');
  const isRight = ajv.validate(schema!, JSON.parse(Buffer.from(body).toString()));
  expect(isRight, `${what}: ${ajv.errorsText()}`).to.equal(true);
}

/** The document's operation: `POST /payments/{paymentPspReference}/captures`. */
function operationOf(method: string, path: string, operations: Schemas): string | undefined {
  const [address = ''] = path.replace(/^(?:\/checkout)?\/v\d+/, '').split('?');
  return Object.keys(operations).find((operation) => {
    const [verb, pattern = ''] = operation.split(' ');
    return verb === method && new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(address);
  });
}

function holdExchange(what: string, { method, path, body }: HttpRequest, answer?: HttpReply): string {
  const operation = operationOf(method, path, method === 'POST' ? openapi.requests : openapi.answers) ?? '';
  if (body !== undefined) hold(`${what}: ${method} ${path}`, openapi.requests[operation], Buffer.from(body));
  if (answer) hold(`${what}, answer`, openapi.answers[answer.status < 300 ? operation : 'error'], answer.body);
  return operation;
}

function holdWebhook(body: string | Uint8Array): void {
  const { notificationItems } = JSON.parse(Buffer.from(body).toString()) as {
    readonly notificationItems: readonly { readonly NotificationRequestItem: object }[];
  };
  for (const { NotificationRequestItem: item } of notificationItems)
    hold('a webhook', openapi.webhooks.item, JSON.stringify(item));
}

describe('Adyen’s OpenAPI document', () => {
  it('accepts every request of the vectors, and describes the answers that the adapter reads', () => {
    const asked = vectors.submissions.flatMap(({ name, request, reply: answer, expect: { outcome } }) => {
      if (!request) return [];
      const read = answer && outcome !== 'unknown' ? reply(answer.status, JSON.parse(answer.body)) : undefined;
      return [holdExchange(name, request as HttpRequest, read)];
    });
    expect([...new Set(asked), 'POST /paymentMethods']).to.have.members(Object.keys(openapi.requests));
  });

  it('describes every webhook of the vectors', () => {
    const genuine = vectors.callbacks.filter(({ expect: expected }) => expected.genuine === true);
    expect(genuine.length).to.be.greaterThan(10);
    for (const { request } of genuine) holdWebhook(request.body);
  });

  it('describes the answers and reports of the sandbox', async () => {
    const trip = await startRoundTrip({ adapter: adyen, createSandbox, options });
    const watched: AdapterContext<Options> = {
      ...trip.provider,
      options: { ...options, sandboxManagementBaseUrl: trip.sandboxUrl },
      http: {
        async send(request) {
          const answer = await trip.provider.http.send(request);
          holdExchange('the sandbox', request, answer);
          return answer;
        },
      },
    };
    try {
      const given = { ...submission, sandbox: true };
      const held = { ...given, reference: 'GW-2-1', captureDelayHours: 1 };
      const stored = trip.toStored(given, await adyen.submit(given, watched));
      const reserved = trip.toStored(held, await adyen.submit(held, watched));
      const money = { amount: '5', currency: 'EUR' };
      await adyen.capture!(reserved, { reference: 'GW-2-1-C', money }, watched);
      await adyen.void!(reserved, watched, { reference: 'GW-2-1-V' });
      const refund = { reference: 'GW-10042-1-R1', money, note: null, refundedSoFar: '0', isRepetition: false };
      await adyen.refund!(stored, refund, watched);
      expect(
        await adyen.submit({ ...given, reference: 'GW-3-1', money: { ...money, amount: '7.50' } }, watched),
      ).to.include({ outcome: 'unknown' });
      await checkAccount(watched);
      await trip.until(() => trip.reported().length >= 5);
      for (const { request } of trip.deliveries) if (request?.body !== undefined) holdWebhook(request.body);
    } finally {
      await trip.close();
    }
  });

  it('accepts the request of checkAccount, and no unknown member', async () => {
    const sent: HttpRequest[] = [];
    const scripted = scriptedHttp([reply(200, { paymentMethods: [{ name: 'Cards', type: 'scheme' }] })]);
    const http = {
      async send(request: HttpRequest): Promise<HttpReply> {
        sent.push(request);
        return scripted.send(request);
      },
    };
    await checkAccount({ ...createContext(), http });
    expect(holdExchange('the doctor', sent[0]!)).to.equal('POST /paymentMethods');
    const more = JSON.stringify({ ...(JSON.parse(String(sent[0]!.body)) as object), odd: 1 });
    expect(() => holdExchange('the doctor', { ...sent[0]!, body: more })).to.throw('additional properties');
  });
});
