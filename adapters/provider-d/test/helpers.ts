/** What the tests of this adapter share: options, D's messages signed at will, a delivered callback, a scripted answer. */
import {
  hmac,
  v,
  type AckOutcome,
  type Acknowledgement,
  type HttpReply,
  type Provider,
  type RawCallback,
  type ReportedEvent,
  type StoredPayment,
  type Submission,
} from '@gateway/contract';
import { reply, scriptedHttp, scriptedProvider } from '@gateway/contract/testing';
import providerD from '../index.ts';
import { Options } from '../options.ts';

export const [current, previous] = [
  'b3Blbi1kLWtleS0xLTAxMjM0NTY3ODlhYmNkZWYhISE=',
  'b3Blbi1kLWtleS0wLXByZXZpb3VzLTAxMjM0NTY3ODk=',
];

export const options: Options = v.parse(Options, {
  baseUrl: 'https://pay.provider-d.example',
  sandboxBaseUrl: 'https://sandbox.provider-d.example',
  shop: '004217390',
  terminal: '1',
  keys: [current, previous],
});

export type Data = Readonly<Record<string, unknown>>;

/** A paid order, as D tells it; values as they stand in the JSON. */
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

/** `d_data` of any JSON. */
export function pack(data: unknown): string {
  return Buffer.from(JSON.stringify(data)).toString('base64');
}

/** A triple around any `d_data`, whatever it holds. */
export function signed(d_data: string, order = 'GW-10042-1', key = current): Record<string, string> {
  const sig = hmac('sha256', hmac('sha256', Buffer.from(key, 'base64'), order), d_data).toString('base64');
  return { d_ver: 'H1', d_data, d_sig: sig.replaceAll('+', '-').replaceAll('/', '_') };
}

/** A triple that D would send. */
export function triple(changes: Data = {}): Record<string, string> {
  const data = { ...paid, ...changes };
  return signed(pack(data), typeof data['D_Order'] === 'string' ? data['D_Order'] : undefined);
}

/** An answer that D would give. */
export function answer(changes: Data = {}): HttpReply {
  return reply(200, triple(changes));
}

export const error = (status: number, d_error: string): HttpReply => reply(status, { d_error, d_text: 'for people' });

export function encoded(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}

const form = [['Content-Type', 'application/x-www-form-urlencoded']] as const;

export interface Sent {
  readonly method?: 'GET' | 'POST';
  readonly body?: string | Uint8Array;
  readonly query?: string;
  readonly headers?: readonly (readonly [string, string])[];
}

export interface Delivered {
  /** `genuine`, or why not; `malformed` also where a genuine message cannot be read. */
  readonly verdict: string;
  readonly events: readonly (ReportedEvent & { readonly status: string })[];
  /** What core would answer for an outcome. */
  readonly answer: (outcome: AckOutcome) => Acknowledgement;
}

/** Delivers a callback: proves, parses and maps it. */
export async function deliver({ method = 'POST', body = '', query = '', headers = form }: Sent): Promise<Delivered> {
  const route = providerD.callbacks.find((one) => one.method === method)!;
  const provider = scriptedProvider({ options });
  const raw: RawCallback = {
    method,
    path: `/callbacks/${route.path}`,
    query,
    headers,
    body: Buffer.from(body as string),
    remoteAddress: '127.0.0.1',
    receivedAt: provider.now(),
  };
  const verdict = await route.verifySignature(raw, provider);
  const proven = 'proven' in verdict ? { proven: verdict.proven } : {};
  const told = { answer: (outcome: AckOutcome) => route.acknowledge!({ outcome, raw, ...proven }, provider) };
  if (verdict.verdict !== 'genuine') return { verdict: verdict.verdict, events: [], ...told };
  const parsed = route.parseCallback(verdict.proven, provider);
  if ('malformed' in parsed) return { verdict: 'malformed', events: [], ...told };
  const events = parsed.events.map((event) => ({ ...event, status: providerD.mapStatus(event) }));
  return { verdict: 'genuine', events, ...told };
}

/** The same parameters by both ways. */
export function deliverBoth(parameters: string): Promise<Delivered[]> {
  return Promise.all([deliver({ body: parameters }), deliver({ method: 'GET', query: parameters, headers: [] })]);
}

const facts = {
  paymentRequestId: '10042',
  attempt: 1,
  reference: 'GW-10042-1',
  money: { amount: '25.9', currency: 'EUR' },
  unit: 'EU',
  sandbox: false,
  isH2h: true,
};

export const submission: Submission = {
  ...facts,
  payer: {
    name: 'Zoë Müller',
    email: 'zoe+shop@example.com',
    phoneNumber: '+4930123456',
    address: 'Lange Straße 5',
    city: 'Berlin',
    state: 'BE',
    postalCode: '10115',
    country: 'DE',
    ipAddress: null,
  },
};

export const stored: StoredPayment = {
  ...facts,
  method: 'hosted_page',
  providerReference: '90071992547409931001',
  endedAt: new Date('2026-03-01T09:00:00Z'),
};

/** Makes a call that the given answer answers; gives what was sent too. */
export async function answered<T>(given: HttpReply, call: (provider: Provider<Options>) => Promise<T>) {
  const http = scriptedHttp([given]);
  return { result: await call(scriptedProvider({ options, http })), requests: http.requests };
}
