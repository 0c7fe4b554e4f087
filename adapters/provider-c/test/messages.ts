/** C's options and messages, signed at will; the harness makes the payment, the calls and the callbacks. */
import { formType, hash, type AdapterContext, type HttpReply } from '@paywright/contract';
import {
  createAdapterHarness,
  reply,
  type DeliveredCallback,
  type DeliveryChanges,
  type SentCallback,
} from '@paywright/contract/testing';
import providerC from '../index.ts';
import type { Options } from '../options.ts';

export const [salt, previousSalt] = ['c-salt-open-4f9a1b7e2d60', 'c-salt-open-previous-77'];

/** The options as an operator writes them. */
export const given = {
  baseUrl: 'https://api.provider-c.example/base',
  sandboxBaseUrl: 'https://sandbox.provider-c.example',
  accounts: [
    {
      key: 'GWDEMO01',
      currency: 'EUR',
      salts: [salt, previousSalt],
      pageSecrets: ['c-page-open-83b5d0c1e7a2', 'c-page-open-previous-2'],
    },
    {
      key: 'GWDEMO02',
      currency: 'JPY',
      salts: ['c-salt-open-jpy-0c5e19aa'],
      pageSecrets: ['c-page-open-jpy-6d2f0b41'],
    },
    {
      key: 'GWDEMO03',
      currency: 'KWD',
      salts: ['c-salt-open-kwd-91d20f3b'],
      pageSecrets: ['c-page-open-kwd-5a7e33c0'],
    },
  ],
};

export const harness = createAdapterHarness(providerC, {
  options: given,
  now: new Date('2026-11-21T09:00:00.000Z'),
  stored: { providerReference: '700000000000000181' },
  threeDsToken: 'M2RzMS4xMDA0Mi4x',
});

export type Fields = Readonly<Record<string, string | undefined>>;

/** The fields of an approved payment, as C reports them. */
export const paid: Fields = {
  c_id: '700000000000000181',
  c_state: 'success',
  c_ref: 'GW-10042-1',
  c_total: '25.90',
  c_key: 'GWDEMO01',
  c_item: 'Payment GW-10042-1',
  c_name: 'Zoë Müller',
  c_mail: 'zoe@example.com',
  x1: '10042',
};

export function encoded(fields: Fields): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  return form.toString();
}

const sha512 = (text: string): string => hash('sha512', text).toString('hex');

/** The fields with the reverse hash of C's manual. */
export function withHash(fields: Fields, secret: string = salt): Fields {
  const { c_extra, c_state, x1, x2, x3, x4, x5, c_mail, c_name, c_item, c_total, c_ref, c_key } = fields;
  const values = [secret, c_state, x5, x4, x3, x2, x1, c_mail, c_name, c_item, c_total, c_ref, c_key];
  const text = values.map((value) => value ?? '').join('|');
  return { ...fields, c_hash: sha512(c_extra ? `${c_extra}|${text}` : text) };
}

/** A server form as C sends it. */
export function reported(changes: Fields = {}): string {
  return encoded(withHash({ ...paid, ...changes }));
}

const formHeaders = [['Content-Type', formType]] as const;

/** Delivers a form. */
export function deliver(
  route: 'providerC' | 'providerChp',
  body: string | Uint8Array,
  { headers = formHeaders, ...changes }: Pick<SentCallback, 'headers'> & DeliveryChanges<Options> = {},
): Promise<DeliveredCallback> {
  return harness.deliver({ route, headers, body }, changes);
}

export const formReply = (status: number, fields: Fields): HttpReply => reply(status, encoded(fields), formHeaders);

/** An answer as C sends it. */
export const answer = (changes: Fields = {}): HttpReply => formReply(200, withHash({ ...paid, ...changes }));

export const tds = '5F6B1f0e-9f0a-4d8e-8c55-0b1a2f6f7c11';

/** An answer that redirects the payer to the issuer. */
export const challenge = (changes: Fields): HttpReply =>
  answer({ c_state: 'challenge', c_acs: 'https://acs.example/x?y=1', c_tds: tds, ...changes });

export const error = (status: number, c_error: string): HttpReply =>
  formReply(status, { c_error, c_text: 'for people' });

/** Makes a call, and shows its requests and the fields of the first. */
export async function answered<T>(
  answer: HttpReply,
  call: (ctx: AdapterContext<Options>) => Promise<T>,
  at = harness.now,
) {
  const { result, requests } = await harness.recordCall(answer, call, { now: at });
  const form = new URLSearchParams(Buffer.from(requests[0]?.body ?? '').toString());
  return { result, sent: Object.fromEntries(form), requests };
}

/** Answers that are unreadable for any call. */
export const unreadable: readonly (readonly [what: string, reply: HttpReply])[] = [
  ['a body that is not a form', reply(200, '<html>', formHeaders)],
  ['an empty body', reply(200, '', formHeaders)],
  ['another content type', reply(200, reported(), [['Content-Type', 'text/plain']])],
  ['no content type', reply(200, reported())],
  ['a status of 201', formReply(201, withHash(paid))],
  ['no hash', formReply(200, paid)],
  ['the hash of another salt', formReply(200, withHash(paid, 'another salt, long enough'))],
  ['the hash of an empty salt', formReply(200, withHash(paid, ''))],
  ['a field twice', reply(200, `${reported()}&c_ref=GW-10042-1`, formHeaders)],
  ['bytes that are not UTF-8', reply(200, `${reported()}&z=%ff`, formHeaders)],
  ['another reference', answer({ c_ref: 'GW-10042-2' })],
  ['another account, correctly signed', answer({ c_key: 'GWDEMO02' })],
  ['another total', answer({ c_total: '25.91' })],
  ['a total with a comma', answer({ c_total: '25,90' })],
  ['no id', answer({ c_id: undefined })],
  ['an id with letters', answer({ c_id: '70x' })],
  ['an id of 21 digits', answer({ c_id: '7'.repeat(21) })],
  ['no state', answer({ c_state: undefined })],
  ['a state with a separator', answer({ c_state: 'success|' })],
  ['400 of another server', reply(400, '<html>')],
  ['400 with another word', error(400, 'bad_hash')],
  ['401 without a word', reply(401)],
  ['403', error(403, 'bad_key')],
  ['404', error(404, 'no_such_payment')],
  ['409', error(409, 'ref_taken')],
  ['422 with another word', error(422, 'bad_field')],
  ['429 of another server', reply(429, '<html>')],
  ['500 without a word', reply(500)],
  ['500 with a word of 503', error(500, 'closed')],
  ['502', reply(502, '<h1>Bad gateway</h1>', [['Content-Type', 'text/html']])],
];
