import { readPairs, type HttpReply } from '@paywright/contract';
import { fixture, reply } from '@paywright/contract/testing';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { errors, fromStripeAmount, post, toFields, toStripeAmount, type Params } from '../wire.ts';
import { harness, recordingSdk, vectors } from './messages.ts';

const { options } = harness;

/** Every request of the vectors, with its answer. */
const exchanges = vectors.submissions.flatMap(({ name, request, reply, exchanges: several }) =>
  (several ?? [{ request, reply }]).flatMap((one) =>
    one.request ? [{ name, request: one.request, reply: one.reply }] : [],
  ),
);

const parameters = {
  amount: '2590',
  payment_method_types: ['card', 'link'],
  metadata: { gateway_reference: 'GW-10042-1', 'odd name': 'a & b = c + d [e] ü' },
  line_items: [{ quantity: '1', price_data: { product_data: { name: 'x' } } }],
  left_out: undefined,
} satisfies Params;

/** The pairs that the official SDK makes of the parameters. */
async function encodedBySdk(params: object): Promise<readonly (readonly [string, string])[]> {
  const { sdk, sent } = recordingSdk();
  await sdk.rawRequest('POST', '/v1/payment_intents', params);
  return readPairs(sent[0]?.body ?? '') ?? [];
}

describe('a form', () => {
  it('equals the one that the official SDK makes of the same parameters', async () => {
    expect(Object.entries(toFields(parameters))).to.deep.equal(await encodedBySdk(parameters));
    expect(readPairs(String(post(options, '/v1/x', parameters).body))).to.deep.equal(await encodedBySdk(parameters));
  });
});

describe('toStripeAmount', () => {
  for (const [amount, currency, digits] of [
    ['25.9', 'EUR', '2590'],
    ['0.07', 'USD', '7'],
    ['500', 'JPY', '500'],
    ['5', 'ISK', '500'],
    ['5', 'UGX', '500'],
    ['5', 'MGA', '5'],
    ['5.12', 'KWD', '5120'],
    ['10.45', 'HUF', '1045'],
    ['9999999999.99', 'IDR', '999999999999'],
  ] as const) {
    it(`converts ${amount} ${currency} to ${digits} and back`, () => {
      expect(toStripeAmount({ amount, currency })).to.equal(digits);
      const back = fromStripeAmount(digits, currency.toLowerCase());
      expect(toStripeAmount(back)).to.equal(digits);
      expect(Number(back.amount)).to.equal(Number(amount));
    });
  }

  for (const [amount, currency] of [
    ['5.124', 'KWD'],
    ['5.5', 'MGA'],
    ['5.5', 'ISK'],
    ['0.5', 'JPY'],
    ['10000000000', 'EUR'],
  ] as const) {
    it(`refuses ${amount} ${currency}`, () => {
      expect(toStripeAmount({ amount, currency })).to.equal(undefined);
    });
  }
});

describe('a refusal of a parameter', () => {
  for (const [param, field] of [
    ['billing_details[name]', 'name'],
    ['billing_details[email]', 'email'],
    ['customer_email', 'email'],
    ['billing_details[phone]', 'phoneNumber'],
    ['billing_details[address][line1]', 'address'],
    ['billing_details[address][postal_code]', 'postalCode'],
    ['billing_details[address][country]', 'country'],
    ['card[number]', 'number'],
    ['card[exp_year]', 'expiration'],
    ['card[cvc]', 'cvv'],
    ['payment_method', 'token'],
    ['line_items[0][price_data][unit_amount]', 'amount'],
    ['currency', 'unit'],
    ['return_url', 'body'],
  ] as const) {
    it(`names ${field} for ${param}`, () => {
      const error = { type: 'invalid_request_error', code: 'parameter_invalid_empty', param };
      expect(errors.toOutcome(reply(400, { error }))).to.include({ nothingCharged: true, refusedField: field });
      const going = { ...error, payment_intent: { status: 'processing' } };
      expect(errors.toOutcome(reply(400, { error: going }))).not.to.have.property('refusedField');
      expect(errors.toOutcome(reply(401, { error }))).not.to.have.property('refusedField');
    });
  }
});

describe('an error answer', () => {
  const refusal = (status: number, error: object): HttpReply => reply(status, { error });

  it('proves that nothing was charged only in Stripe’s own words', () => {
    const invalid = { type: 'invalid_request_error', code: 'amount_too_small' };
    expect(errors.toOutcome(refusal(400, invalid))).to.include({ nothingCharged: true });
    expect(errors.toOutcome(refusal(500, invalid)).outcome).to.equal('unknown');
    expect(errors.toOutcome(reply(400, '<html>')).outcome).to.equal('unknown');
    for (const status of ['succeeded', 'processing', 'requires_capture', 'requires_action']) {
      const going = refusal(400, { ...invalid, payment_intent: { status } });
      expect(errors.toOutcome(going).outcome, status).to.equal('unknown');
    }
  });
});

type Schemas = Readonly<Record<string, object>>;
const openapi = fixture(import.meta.url, 'openapi.json') as {
  readonly source: { readonly document: string };
  readonly requests: Schemas;
  readonly objects: Schemas;
  readonly events: readonly string[];
};

/** Converts nested parameters as the document describes them: lists stay lists. */
function toNested(form: string): unknown {
  const whole: Record<string, unknown> = {};
  for (const [name, value] of readPairs(form) ?? []) {
    const path = name.split(/\[|\]\[|\]/).filter((part) => part !== '');
    let inner = whole;
    for (const part of path.slice(0, -1)) inner = (inner[part] ??= {}) as Record<string, unknown>;
    inner[path.at(-1)!] = value;
  }
  const withLists = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, withLists(member)] as const);
    return members.every(([name], at) => name === String(at)) && members.length > 0
      ? members.map(([, member]) => member)
      : Object.fromEntries(members);
  };
  return withLists(whole);
}

describe('Stripe’s OpenAPI document', () => {
  const coercing = new Ajv({ coerceTypes: true, strictTypes: false, allErrors: true });
  const strict = new Ajv({ strictTypes: false, allErrors: true });

  it('accepts every request of the vectors', () => {
    expect(exchanges.length).to.be.greaterThan(40);
    const asked = new Set<string>();
    for (const { name, request } of exchanges) {
      const [path = '', query = ''] = request.path.split('?');
      const operations = Object.keys(openapi.requests).filter((operation) => {
        const [method, pattern = ''] = operation.split(' ');
        return method === request.method && new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
      });
      const [operation] = operations.sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')));
      expect(operation, `${name}: ${request.path}`).to.be.a('string');
      asked.add(operation!);
      const isRight = coercing.validate(openapi.requests[operation!]!, toNested(request.body ?? query));
      expect(isRight, `${name}: ${coercing.errorsText()}`).to.equal(true);
    }
    expect([...asked, 'GET /v1/account', 'GET /v1/webhook_endpoints']).to.have.members(Object.keys(openapi.requests));
  });

  it('refuses an unknown parameter', () => {
    const wrong = toNested('amount=1&currency=eur&metadata[a]=b&capture=manual');
    expect(coercing.validate(openapi.requests['POST /v1/payment_intents']!, wrong)).to.equal(false);
  });

  it('describes every object in the vectors', () => {
    const shown: { readonly name: string; readonly object: { readonly object?: unknown } }[] = [];
    for (const { name, reply: answer } of exchanges) {
      if (answer?.status !== 200) continue;
      const body = JSON.parse(answer.body) as {
        readonly object: string;
        readonly data?: readonly { object: string }[];
      };
      for (const object of body.data ?? [body]) shown.push({ name, object });
    }
    for (const { name, request, expect: expected } of vectors.callbacks) {
      if (expected.genuine !== true || name === 'a status that no table knows') continue;
      const message = JSON.parse(request.body) as {
        readonly object: string;
        readonly data: { readonly object: { readonly object: string } };
      };
      shown.push({ name, object: message }, { name, object: message.data.object });
    }
    const kinds = new Set<unknown>();
    for (const { name, object } of shown) {
      const schema = openapi.objects[String(object.object)];
      if (!schema) continue;
      kinds.add(object.object);
      expect(strict.validate(schema, object), `${name}: ${strict.errorsText()}`).to.equal(true);
    }
    expect([...kinds]).to.include.members(['payment_intent', 'refund', 'dispute', 'checkout.session', 'event']);
  });
});
