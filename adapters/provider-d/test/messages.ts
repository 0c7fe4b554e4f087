/** D's options and messages, signed at will; the harness makes the payment, the calls and the callbacks. */
import { formType, hmac, type HttpReply } from '@paywright/contract';
import { createAdapterHarness, reply, type DeliveredCallback, type SentCallback } from '@paywright/contract/testing';
import providerD from '../index.ts';

export const [current, previous] = [
  'b3Blbi1kLWtleS0xLTAxMjM0NTY3ODlhYmNkZWYhISE=',
  'b3Blbi1kLWtleS0wLXByZXZpb3VzLTAxMjM0NTY3ODk=',
];

export const harness = createAdapterHarness(providerD, {
  options: {
    baseUrl: 'https://pay.provider-d.example',
    sandboxBaseUrl: 'https://sandbox.provider-d.example',
    shop: '004217390',
    terminal: '1',
    keys: [current, previous],
  },
  input: 'billing',
  payment: { unit: 'EU' },
  stored: { providerReference: '90071992547409931001', endedAt: new Date('2026-03-01T08:59:00Z') },
});

export type Data = Readonly<Record<string, unknown>>;

/** A paid order, as D reports it. Values have their JSON form. */
export const paid: Data = {
  D_Shop: '004217390',
  D_Term: '1',
  D_Order: 'GW-10042-1',
  D_Op: '0',
  D_Id: '90071992547409931001',
  D_Sum: '2590',
  D_Cur: '978',
  D_Code: '0000',
};

/** `d_data` with any JSON. */
export function pack(data: unknown): string {
  return Buffer.from(JSON.stringify(data)).toString('base64');
}

/** A signed triple around any `d_data`. */
export function signed(d_data: string, order = 'GW-10042-1', key = current): Record<string, string> {
  const sig = hmac('sha256', hmac('sha256', Buffer.from(key, 'base64'), order), d_data).toString('base64');
  return { d_ver: 'H1', d_data, d_sig: sig.replaceAll('+', '-').replaceAll('/', '_') };
}

/** A triple as D sends it. */
export function triple(changes: Data = {}): Record<string, string> {
  const data = { ...paid, ...changes };
  return signed(pack(data), typeof data['D_Order'] === 'string' ? data['D_Order'] : undefined);
}

/** An answer as D sends it. */
export function answer(changes: Data = {}): HttpReply {
  return reply(200, triple(changes));
}

export const error = (status: number, d_error: string): HttpReply => reply(status, { d_error, d_text: 'for people' });

export function encoded(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}

const form = [['Content-Type', formType]] as const;

/** Delivers a callback, as a form by default. */
export const deliver = (sent: SentCallback): Promise<DeliveredCallback> => harness.deliver({ headers: form, ...sent });

/** Delivers the same parameters by POST and by GET. */
export function deliverBoth(parameters: string): Promise<DeliveredCallback[]> {
  return Promise.all([deliver({ body: parameters }), deliver({ method: 'GET', query: parameters, headers: [] })]);
}

/** Answers whose members or form are unreadable for any call. */
export const unreadable: readonly (readonly [what: string, reply: HttpReply])[] = [
  ['a body that is not JSON', reply(200, '<html>')],
  ['an empty body', reply(200)],
  ['an unsigned answer', reply(200, { d_ver: 'H1', d_data: pack(paid) })],
  ['another version', reply(200, { ...triple(), d_ver: 'H2' })],
  ['a version that is a number', reply(200, { ...triple(), d_ver: 1 })],
  ['an answer signed for another order', reply(200, signed(pack(paid), 'GW-10042-2'))],
  ['an answer about another order', answer({ D_Order: 'GW-10042-2' })],
  ['another shop', answer({ D_Shop: '004217391' })],
  ['another terminal', answer({ D_Term: '2' })],
  ['no id', answer({ D_Id: undefined })],
  ['a code of three digits', answer({ D_Code: '000' })],
  ['a text that is a number', answer({ D_Text: 7 })],
  ['bare pluses read as spaces', reply(200, { ...triple(), d_sig: triple()['d_sig']!.replace(/[-_+]/, ' ') })],
  ['a redirect', reply(302, triple(), [['Location', 'https://elsewhere.example']])],
  ['500 without a code', reply(500, '{}')],
  ['500 with a code of 503', error(500, 'closed')],
  ['503 with a code of 500', error(503, 'not_started')],
  ['400 of another server', reply(400, '<html>')],
  ['400 with another code', error(400, 'bad_signature')],
  ['401 without a code', reply(401)],
  ['403', error(403, 'bad_shop')],
  ['409', error(409, 'order_taken')],
  ['422 with another code', error(422, 'bad_member')],
  ['502', reply(502, '<h1>Bad gateway</h1>')],
];

/** Answers about a different amount or currency. */
export const otherMoney: readonly (readonly [what: string, reply: HttpReply])[] = [
  ['another sum', answer({ D_Sum: '2591' })],
  ['another currency', answer({ D_Cur: '840' })],
];

export const page = 'https://pay.provider-d.example/d/page/9';
/** Members of an answer about an open page. */
export const open: Data = { D_Code: '8000', D_Page: encodeURIComponent(page), D_Until: '2026-03-01T10%3A30%3A00Z' };
