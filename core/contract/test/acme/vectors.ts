/** Acme's vectors, signed here. */
import { sealHeader, type Options } from './protocol.ts';

export const options: Options = {
  baseUrl: 'https://api.acme.example',
  sandboxBaseUrl: 'https://sandbox.acme.example',
  shop: 'shop-7',
  apiKey: 'acme-key-4d1f0c77',
  sealKeys: ['seal-current-81aa', 'seal-previous-07'],
};

const now = '2026-03-01T10:00:10.000Z';
/** The time at which its callbacks are sealed. */
export const seconds = '1772359210';

interface NoticeSample {
  readonly name: string;
  readonly body: string;
  readonly key?: string;
  readonly status?: string;
  readonly word?: string;
}

type Seal = typeof sealHeader;

function callback(seal: Seal, { name, body, key = options.sealKeys[0]!, status, word }: NoticeSample) {
  const [, notice] = /"notice":"([^"]+)"/.exec(body) ?? [];
  const events = [
    {
      kind: 'payment',
      status,
      word,
      reference: 'GW-10042-1',
      providerReference: 'ac_1',
      amount: '25.90',
      currency: 'EUR',
      dedupeKey: notice,
    },
  ];
  return {
    name,
    route: 'acme',
    now,
    request: {
      method: 'POST',
      path: '/callbacks/acme',
      query: '',
      headers: [
        ['Content-Type', 'application/json'],
        ['X-Acme-Seal', seal(key, seconds, Buffer.from(body))],
      ],
      body,
    },
    expect: status
      ? { genuine: true, events, ack: { outcome: 'accepted', status: 200, body: 'noted' } }
      : { genuine: 'forged', events: [], ack: { outcome: 'bad_signature', status: 401, body: '' } },
  };
}

function noticeBody(id: string, state: string): string {
  // Spelled as Acme does: with spaces, and an escape that none of our serializers would write.
  return `{ "notice":"${id}","shop":"shop-7","ref":"GW-10042-1","id":"ac_1","state":"${state}","minor":2590,"cur":"EUR","page":"https:\\/\\/acme.example"}`;
}

const payment = {
  name: 'Zoë O’Neil',
  email: 'zoe@example.com',
  country: 'DE',
  number: '4111111111111111',
  expiration: '12/30',
  cvv: '123',
  amount: 25.9,
  unit: 'EUR',
  reference: 'GW-10042-1',
};
const card = {
  number: payment.number,
  expiration: '12/30',
  expiryMonth: '12',
  expiryYear: '2030',
  cvv: '123',
};

function charge(name: string, state: string, outcome: object, why?: string) {
  return {
    name,
    payment,
    request: {
      method: 'POST',
      path: '/charges',
      headers: [
        ['X-Key', options.apiKey],
        ['Idempotency-Key', 'GW-10042-1'],
      ],
      body: JSON.stringify({ shop: 'shop-7', ref: 'GW-10042-1', minor: 2590, cur: 'EUR', card }),
    },
    reply: {
      status: 200,
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({ id: 'ac_1', ref: 'GW-10042-1', state, minor: 2590, cur: 'EUR', ...(why && { why }) }),
    },
    expect: { providerReference: 'ac_1', ...outcome },
  };
}

const json: readonly string[][] = [['Content-Type', 'application/json']];

function fetch(body: string) {
  return {
    name: 'status: paid',
    call: 'fetchStatus',
    payment: { ...payment, providerReference: 'ac_1' },
    request: { method: 'GET', path: '/charges/GW-10042-1', headers: [['X-Key', options.apiKey]] },
    reply: { status: 200, headers: json, body },
    expect: { outcome: 'succeeded', events: [{ kind: 'payment', word: 'paid', amount: '25.90' }] },
  };
}

const refund = {
  name: 'money back',
  call: 'refund',
  payment: { ...payment, providerReference: 'ac_1', refund: { reference: 'GW-10042-1-R1', amount: '10.00' } },
  request: {
    method: 'POST',
    path: '/charges/ac_1/back',
    headers: [['Idempotency-Key', 'GW-10042-1-R1']],
    body: '{"minor":1000,"cur":"EUR"}',
  },
  reply: {
    status: 200,
    headers: json,
    body: '{"id":"ab_1","ref":"GW-10042-1-R1","state":"waiting","minor":1000,"cur":"EUR"}',
  },
  expect: { outcome: 'pending', providerReference: 'ab_1' },
};

/** Acme's vectors, sealed as Acme does by default. */
export function createVectors(seal: Seal = sealHeader, spell = (body: string) => body) {
  const notice = (id: string, state: string) => spell(noticeBody(id, state));
  const old = callback(seal, { name: 'too old', body: notice('n-5', 'paid') });
  return {
    provider: 'acme',
    options,
    callbacks: [
      callback(seal, { name: 'paid', body: notice('n-1', 'paid'), status: 'succeeded', word: 'paid' }),
      callback(seal, {
        name: 'refused, sealed with the previous key',
        body: notice('n-2', 'refused'),
        key: options.sealKeys[1]!,
        status: 'failed',
        word: 'refused',
      }),
      callback(seal, { name: 'an unknown status', body: notice('n-3', 'odd'), status: 'unknown', word: 'odd' }),
      callback(seal, { name: 'a stranger’s seal', body: notice('n-4', 'paid'), key: 'stranger' }),
      {
        ...old,
        now: '2026-03-01T10:05:10.001Z',
        expect: { genuine: 'stale', events: [], ack: { outcome: 'stale', status: 401, body: '' } },
      },
    ],
    submissions: [
      charge('paid', 'paid', { outcome: 'succeeded' }),
      charge('waiting', 'waiting', { outcome: 'pending' }),
      charge('refused', 'refused', { outcome: 'failed', decline: '51' }, 'poor'),
      fetch(notice('n-1', 'paid')),
      refund,
    ],
  };
}
