/** Tests every limit of the field tables, on both sides, at every endpoint. */
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { orderFields, paymentRequestFields } from '../payment-requests/fields.ts';
import { cardFields, memberConfirmFields, payerFields, tokenFields, upiFields } from '../payments/fields.ts';
import type { Bounds, FieldTable } from './field-table.ts';
import { passesLuhn } from '@paywright/contract';
import { endpoints } from '../testing/bodies.ts';
import type { Endpoint } from '../testing/bodies.ts';
import { startGateway } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';

/** The endpoints of the specification, and their field tables. */
const tables: Readonly<Record<Endpoint, FieldTable>> = {
  '/payments/creditCard/10042': { ...payerFields, ...cardFields },
  '/payments/h2h/11': { ...payerFields, ...cardFields, ...orderFields },
  '/payments/h2h/27': { ...payerFields, ...orderFields },
  '/payments/h2h/51': { ...payerFields, ...tokenFields, ...orderFields },
  '/payments/h2h/31': { ...payerFields, ...upiFields, ...orderFields },
  '/payments/upi/10042': { ...payerFields, ...upiFields },
  '/payments/cardMemberConfirm/10042': memberConfirmFields,
  '/payment-requests': paymentRequestFields,
};

interface Example {
  readonly what: string;
  readonly value: unknown;
  readonly isRight: boolean;
}

function* examplesOf(name: string, field: Bounds): Generator<Example> {
  if (!field.nullable) yield { what: 'null', value: null, isRight: false };
  else yield { what: 'null', value: null, isRight: true };
  for (const value of wrongTypes[field.type]) yield { what: JSON.stringify(value), value, isRight: false };
  if (field.type === 'boolean') {
    for (const value of [true, false]) yield { what: String(value), value, isRight: true };
  }
  if (field.type === 'integer') {
    const { min, max } = field;
    for (const value of [min, max]) yield { what: String(value), value, isRight: true };
    for (const value of [min - 1, max + 1, min + 0.5]) yield { what: String(value), value, isRight: false };
  }
  if (field.type === 'amount') {
    for (const value of [0, 0.01, 1e-18, 123456789012345, 1e21]) {
      yield { what: String(value), value, isRight: value > 0 || !field.positive };
    }
    for (const value of [-0.01, -1, 1e-19, 1234567890123456, 0.1 + 0.2])
      yield { what: String(value), value, isRight: false };
  }
  if (field.type === 'text' || field.type === 'email' || field.type === 'url') {
    const { min = 0, max } = field;
    if (min > 0) yield { what: `${min - 1} characters`, value: textOf(name, field, min - 1), isRight: false };
    if (isFree(name, field)) yield { what: `${min} characters`, value: textOf(name, field, min), isRight: true };
    if (max !== undefined) {
      yield { what: `${max} characters`, value: textOf(name, field, max), isRight: true };
      yield { what: `${max + 1} characters`, value: textOf(name, field, max + 1), isRight: false };
    } else if (isFree(name, field)) {
      yield { what: '20000 characters', value: textOf(name, field, 20_000), isRight: true };
    }
  }
}

const wrongTypes: Readonly<Record<Bounds['type'], readonly unknown[]>> = {
  text: [1, true, {}, ['a']],
  email: [
    1,
    true,
    {},
    ['a'],
    '',
    'a',
    '@example.com',
    'a@',
    'a b@example.com',
    'a@b@example.com',
    'a@-.',
    'a@example.com\n',
  ],
  url: [
    1,
    true,
    {},
    ['a'],
    '',
    'example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    '//example.com',
    'http://',
    'http://[',
    ' https://example.com',
  ],
  time: [1, true, {}],
  boolean: ['true', 1, {}],
  integer: ['1', true, {}, 1e300],
  amount: ['25.90', true, {}, null],
  object: ['a', 1, true, [], null],
};

/** True if any characters are valid: the field is no address, card, month or UPI id. */
function isFree(name: string, { type }: Bounds): boolean {
  return type === 'text' && !['number', 'expiration', 'upiId'].includes(name);
}

/**
 * Text of exactly this number of characters. If any characters are valid, they are outside the basic plane, so each has
 * two UTF-16 units.
 */
function textOf(name: string, field: Bounds, length: number): string {
  if (field.type === 'email') return `${'e'.repeat(Math.max(0, length - 12))}@example.com`.slice(-length);
  if (field.type === 'url') return `https://example.com/${'p'.repeat(Math.max(0, length - 20))}`;
  if (name === 'number')
    return Array.from('0123456789', (digit) => '4'.repeat(Math.max(0, length - 1)) + digit)
      .find(passesLuhn)!
      .slice(0, length);
  return isFree(name, field) ? '𝒳'.repeat(length) : 'x'.repeat(length);
}

describe('the limits of every field', function () {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  for (const [path, table] of Object.entries(tables) as [Endpoint, FieldTable][]) {
    describe(`POST ${path}`, () => {
      const send = (members: Record<string, unknown>) =>
        gateway.send(path, { body: { ...endpoints[path], ...members } });

      for (const [name, field] of Object.entries(table)) {
        const examples = [...examplesOf(name, field)];

        it(`accepts as ${name}: ${examples
          .filter(({ isRight }) => isRight)
          .map(({ what }) => what)
          .join(', ')}`, async () => {
          for (const { what, value } of examples.filter(({ isRight }) => isRight)) {
            const { status, text } = await send({ [name]: value });
            expect([status, text], what).to.deep.equal([200, 'OK']);
          }
        });

        it(`refuses as ${name}: ${examples
          .filter(({ isRight }) => !isRight)
          .map(({ what }) => what)
          .join(', ')}`, async () => {
          for (const { what, value } of examples.filter(({ isRight }) => !isRight)) {
            const { status, problem } = await send({ [name]: value });
            expect([status, problem.code, problem.details['field']], what).to.deep.equal([400, 'VAL002', name]);
            const echoed = field.hidden ? '[hidden]' : value;
            expect(problem.details['value'], what).to.deep.equal(echoed);
            expect(problem.details['errors'], what).to.have.length(1);
          }
          expect(gateway.calls).to.deep.equal([]);
        });

        it(`${field.required ? 'requires' : 'does not require'} ${name}`, async () => {
          const { status, problem } = await send({ [name]: undefined });
          if (!field.required) expect(status).to.equal(200);
          else expect([problem.code, problem.details]).to.deep.equal(['VAL001', { missingFields: [name] }]);
        });

        if (field.type !== 'object') continue;
        for (const [inner, innerField] of Object.entries(field.fields)) {
          it(`checks the limits of ${name}.${inner}`, async () => {
            for (const { what, value, isRight } of examplesOf(inner, innerField)) {
              const { status, problem } = await send({ [name]: { [inner]: value } });
              expect([status, problem.details?.['field']], what).to.deep.equal(
                isRight ? [200, undefined] : [400, `${name}.${inner}`],
              );
            }
          });
        }
      }

      it('names all missing fields, in the order of the table', async () => {
        const required = Object.entries(table).flatMap(([name, field]) => (field.required ? [name] : []));
        const { problem } = await gateway.send(path, { body: {} });
        expect([problem.code, problem.details]).to.deep.equal(['VAL001', { missingFields: required }]);
      });

      it('names all wrong fields, and the first one at the top level', async () => {
        const required = Object.entries(table).flatMap(([name, field]) => (field.required ? [name] : []));
        const { problem } = await gateway.send(path, {
          body: Object.fromEntries(required.map((name) => [name, true])),
        });
        const errors = problem.details['errors'] as { field: string }[];
        expect(problem.details['field']).to.equal(required[0]);
        expect(errors.map(({ field }) => field)).to.deep.equal(required);
      });
    });
  }

  it('names a field once that is wrong in two ways', async () => {
    const { problem } = await gateway.send('/payment-requests', {
      body: { ...endpoints['/payment-requests'], unit: '\0'.repeat(21) },
    });
    expect(problem.details['errors']).to.have.length(1);
  });

  it('reports missing fields before wrong ones, also across payer and order fields', async () => {
    const body = { ...endpoints['/payments/h2h/11'], name: 1, amount: undefined, country: undefined };
    const { problem } = await gateway.send('/payments/h2h/11', { body });
    expect([problem.code, problem.details]).to.deep.equal(['VAL001', { missingFields: ['country', 'amount'] }]);
  });

  for (const [text, amount] of [
    ['25.90', '25.9'],
    ['2.59E+1', '25.9'],
    ['0.1e-2', '0.001'],
    ['123456789012345.0', '123456789012345'],
    ['-0', '0'],
  ]) {
    it(`reads the amount ${text} as exactly ${amount}`, async () => {
      await gateway.send('/payment-requests', { body: `{"amount":${text},"unit":"EUR"}` });
      expect(gateway.askedOnly('create')[0]).to.include({ amount });
    });
  }

  it('refuses an amount of a hundred thousand digits without long work', async () => {
    // The CPU time of this process: on a busy machine the elapsed time says nothing.
    const before = process.cpuUsage();
    const { problem } = await gateway.send('/payment-requests', {
      body: `{"amount":0.${'0'.repeat(100_000)}1,"unit":"EUR"}`,
    });
    const { user, system } = process.cpuUsage(before);
    expect([problem.code, user + system < 2_000_000]).to.deep.equal(['VAL002', true]);
  });

  it('reads a captureDelayHours of 3.0 as the whole number 3', async () => {
    const body = JSON.stringify(endpoints['/payments/h2h/11']).replace('{', '{"captureDelayHours":3.0,');
    await gateway.send('/payments/h2h/11', { body });
    expect(gateway.askedOnly('payH2h')[2]).to.include({ captureDelayHours: 3 });
  });
});
