/** Samples of the made-up protocol that a new adapter begins with, sealed as its sandbox seals. */
import { hmac, type InputKind } from '@paywright/contract';

const now = '2026-03-02T10:00:10.000Z';
const seconds = '1772445600';
const [secret, previous] = ['notice-secret-now-1', 'notice-secret-old-0'] as const;
const options = {
  account: 'shop-7',
  apiKey: 'key-of-a-test-account',
  noticeSecrets: [secret, previous],
};

/** For the config of a gateway whose sandbox plays the provider; `sandboxBaseUrl` comes from there. */
export function sampleOptions(name: string): Readonly<Record<string, string | readonly string[]>> {
  return { baseUrl: `https://api.${name}.example`, ...options };
}

/** UPI pays in rupees, in India. */
function sampleFacts(kind: InputKind) {
  const isUpi = kind === 'upi';
  const payer = isUpi
    ? { name: 'Asha Rao', email: 'asha.rao@shop.example', country: 'IN' }
    : { name: 'Ines Duarte', email: 'ines.duarte@shop.example', country: 'PT' };
  const phoneNumber = isUpi ? '+919812345678' : '+351912345678';
  const currency = isUpi ? 'INR' : 'EUR';
  const facts = { ...payer, phoneNumber, amount: '25.90', unit: currency, reference: 'GW-10042-1' };
  const ours = { reference: 'GW-10042-1', amount: 2590, currency };
  return { payer, facts, ours, currency };
}

/** The merchant's members by input kind, and what the request makes of them. */
const means: Readonly<Record<InputKind, { readonly given: object; readonly asked: object }>> = {
  card: {
    given: { number: '4111111111111111', expiration: '03/31', cvv: '737' },
    asked: { card: { number: '4111111111111111', month: '03', year: '2031', cvc: '737' } },
  },
  billing: { given: {}, asked: {} },
  token: { given: { token: 'tok-5b0e77a1c94d' }, asked: { token: 'tok-5b0e77a1c94d' } },
  upi: { given: { upiId: 'asha@bank' }, asked: { upiId: 'asha@bank' } },
};

const json = [['Content-Type', 'application/json']];
const bearer = [['Authorization', `Bearer ${options.apiKey}`]];

/** Cards are asked for 3D Secure, saved ones too. */
function hasChallenge(kind: InputKind): boolean {
  return kind === 'card' || kind === 'token';
}

const packed = (message: object): string => Buffer.from(JSON.stringify(message)).toString('base64url');
const challengeId = '6c6a5d1e-2f0b-4c57-9d0c-8f1f7a3b2e44';
const cres = packed({ threeDSServerTransID: challengeId, messageType: 'CRes', transStatus: 'Y' });
const challenge = {
  id: challengeId,
  url: `https://bank.example/acs/${challengeId}`,
  creq: packed({ threeDSServerTransID: challengeId, messageType: 'CReq' }),
};
const challenged = (ended: boolean) => ({ status: 'challenge', challenge: { ...challenge, ended } });
/** What the payer's browser posts to the bank. */
const challengeAction = {
  type: 'redirect',
  method: 'POST',
  url: challenge.url,
  fields: { creq: challenge.creq, threeDSSessionData: '{3dsToken}' },
  transactionId: challengeId,
};

/** The content of `fixtures/vectors.json` for an adapter of this name, callback path and header. */
export function sampleVectors(
  { name, path, header }: { readonly name: string; readonly path: string; readonly header: string },
  kind: InputKind,
): string {
  const baseUrl = `https://api.${name}.example`;
  const { payer, facts, ours, currency } = sampleFacts(kind);
  const answered = { id: 'np-7H2K9Q', ...ours };
  const stored = { ...facts, providerReference: 'np-7H2K9Q' };
  const event = { kind: 'payment', reference: 'GW-10042-1', providerReference: 'np-7H2K9Q', currency };

  const callback = (title: string, message: object, expected: object, key: string = secret, at = now) => {
    const body = JSON.stringify(message);
    const mac = hmac('sha256', key, `${seconds}.`, body).toString('hex');
    const headers = [...json, [`${header}-Seal`, `t=${seconds},s=${mac}`]];
    const request = { method: 'POST', path: `/callbacks/${path}`, query: '', headers, body };
    return { name: title, route: path, now: at, request, expect: expected };
  };
  const message = (status: string, more: object = {}) => {
    const about = { account: options.account, mode: 'live', kind: 'payment', payment: 'np-7H2K9Q', about: null };
    return { ...about, ...ours, status, reason: null, ...more };
  };
  const reported = (events: object[]) => ({
    genuine: true,
    events: events.map((one) => ({ ...one, mode: 'live' })),
    ack: { outcome: 'accepted', status: 200, body: 'received' },
  });
  const refused = (genuine: string, outcome: string, status: number) => ({
    genuine,
    events: [],
    ack: { outcome, status, body: '' },
  });
  const says = (status: string, word: string, more: object = {}) => {
    return { ...event, status, word, amount: '25.90', dedupeKey: `np-7H2K9Q:${word}`, ...more };
  };
  const paid = reported([says('succeeded', 'paid')]);
  const poor = kind === 'upi' ? ['wrong_pin', 'U30'] : ['no_money', '51'];

  const callbacks = [
    callback('paid', message('paid'), paid),
    callback('paid, sealed with the previous secret', message('paid'), paid, previous),
    callback(
      'refused, with its reason',
      message('refused', { reason: poor[0] }),
      reported([says('failed', 'refused', { decline: poor[1] })]),
    ),
    ...['refund-1', 'refund-2'].map((about) =>
      callback(
        about === 'refund-1' ? 'a refund' : 'a second refund of the payment',
        message('done', { kind: 'refund', about, amount: 1000 }),
        reported([
          {
            ...says('succeeded', 'done'),
            kind: 'refund',
            subReference: about,
            amount: '10.00',
            dedupeKey: `${about}:done`,
          },
        ]),
      ),
    ),
    callback(
      'a dispute',
      message('opened', { kind: 'chargeback', about: 'dispute-1', respondUntil: '2026-03-16' }),
      reported([
        {
          ...says('opened', 'opened'),
          kind: 'chargeback',
          subReference: 'dispute-1',
          dedupeKey: 'dispute-1:opened',
          details: { respondUntil: '2026-03-16' },
        },
      ]),
    ),
    callback('an unknown status', message('parked'), reported([says('unknown', 'parked')])),
    callback("a stranger's seal", message('paid'), refused('forged', 'bad_signature', 401), 'a secret of a stranger'),
    callback(
      'another account, rightly sealed',
      message('paid', { account: 'shop-8' }),
      refused('forged', 'bad_signature', 401),
    ),
    callback(
      'too old by a second',
      message('paid'),
      refused('stale', 'stale', 401),
      secret,
      '2026-03-02T10:05:01.000Z',
    ),
    callback('without a reference', message('paid', { reference: 1 }), refused('malformed', 'malformed', 400)),
  ];

  const request = {
    method: 'POST',
    path: '/v1/payments',
    headers: [...json, ...bearer, ['Idempotency-Key', 'GW-10042-1']],
    body: JSON.stringify({
      account: options.account,
      ...ours,
      payer,
      ...means[kind].asked,
      ...(hasChallenge(kind) && { threeDs: 'auto', challengeReturnUrl: 'https://gateway.example/callbacks/3ds' }),
      noticeUrl: `https://gateway.example/callbacks/${path}`,
      returnUrl: 'https://gateway.example/pay/10042',
    }),
  };
  const reply = (body: object, status = 200) => ({ status, headers: json, body: JSON.stringify(body) });
  const charge = (title: string, answer: ReturnType<typeof reply> | null, expected: object) => {
    return { name: title, now, payment: { ...facts, ...means[kind].given }, request, reply: answer, expect: expected };
  };
  const { waiting, action } = waits(kind, baseUrl);
  const named = { providerReference: 'np-7H2K9Q' };
  const find = { method: 'GET', path: '/v1/payments/GW-10042-1', headers: bearer };
  const status = (title: string, answer: ReturnType<typeof reply>, expected: object, endedAt?: string) => ({
    name: title,
    call: 'fetchStatus',
    now,
    payment: { ...stored, ...(endedAt !== undefined && { endedAt }) },
    request: find,
    reply: answer,
    expect: expected,
  });
  const complete = (
    title: string,
    answer: ReturnType<typeof reply>,
    expected: object,
    result: string | null = cres,
  ) => ({
    name: title,
    call: 'complete',
    now,
    payment: { ...stored, action: challengeAction, ...(result !== null && { posted: { cres: result } }) },
    request: {
      method: 'POST',
      path: '/v1/payments/np-7H2K9Q/complete',
      headers: [...json, ...bearer, ['Idempotency-Key', 'GW-10042-1-3DS']],
      body: JSON.stringify({ account: options.account, cres: result }),
    },
    reply: answer,
    expect: expected,
  });
  const unheard = reply({ error: { code: 'unknown_reference', charged: false } }, 404);

  const submissions = [
    charge('paid', reply({ ...answered, status: 'paid' }), { outcome: 'succeeded', ...named }),
    charge('waits', reply({ ...answered, status: 'waiting', ...waiting }), { outcome: 'pending', ...named, ...action }),
    charge('refused', reply({ ...answered, status: 'refused', reason: poor[0] }), {
      outcome: 'failed',
      decline: poor[1],
      ...named,
    }),
    charge('an unknown status', reply({ ...answered, status: 'parked' }), { outcome: 'pending', ...named }),
    charge('nothing charged, in its own words', reply({ error: { code: 'busy', charged: false } }, 503), {
      outcome: 'failed',
      nothingCharged: true,
    }),
    charge('no answer', null, { outcome: 'unknown' }),
    ...(hasChallenge(kind)
      ? [
          charge('the payer must go to the bank', reply({ ...answered, ...challenged(false) }), {
            outcome: 'pending',
            ...named,
            action: challengeAction,
          }),
          complete('passed at the bank', reply({ ...answered, status: 'paid', threeDs: 'authenticated' }), {
            outcome: 'succeeded',
            threeDs: 'authenticated',
            ...named,
          }),
          complete('failed at the bank', reply({ ...answered, status: 'refused', reason: 'not_authenticated' }), {
            outcome: 'failed',
            decline: '05',
            threeDsResult: 'N',
            ...named,
          }),
          complete(
            'came back without a result',
            reply({ ...answered, ...challenged(false) }),
            { outcome: 'pending', ...named, action: challengeAction },
            null,
          ),
          status('the payer was at the bank', reply({ ...answered, ...challenged(true) }), {
            outcome: 'pending',
            events: [says('pending', 'challenge', { awaitsCompletion: true })],
          }),
        ]
      : []),
    status('found, with a sum given back', reply({ ...answered, status: 'paid', refunded: 1000 }), {
      outcome: 'succeeded',
      events: [
        says('succeeded', 'paid'),
        {
          ...says('succeeded', 'refunded'),
          kind: 'refund',
          amount: '10.00',
          cumulative: true,
          dedupeKey: 'np-7H2K9Q:refunded:10.00',
        },
      ],
    }),
    status('not known yet', unheard, { outcome: 'unknown', events: [] }, '2026-03-02T10:00:05.000Z'),
    status('never known', unheard, { outcome: 'failed', nothingCharged: true, events: [] }, '2026-03-02T09:59:00.000Z'),
    {
      name: 'money back',
      call: 'refund',
      now,
      payment: { ...stored, refund: { reference: 'GW-10042-1-R1', amount: '10.00' } },
      request: {
        method: 'POST',
        path: '/v1/payments/np-7H2K9Q/refunds',
        headers: [...json, ...bearer, ['Idempotency-Key', 'GW-10042-1-R1']],
        body: JSON.stringify({
          account: options.account,
          reference: 'GW-10042-1-R1',
          amount: 1000,
          currency,
          note: null,
        }),
      },
      reply: reply({ id: 'refund-1', reference: 'GW-10042-1-R1', amount: 1000, currency, status: 'queued' }),
      expect: { outcome: 'pending', providerReference: 'refund-1' },
    },
  ];

  const addresses = { baseUrl, sandboxBaseUrl: `https://sandbox.${name}.example` };
  const file = { provider: name, options: { ...addresses, ...options }, callbacks, submissions };
  return `${JSON.stringify(file, null, 1)}\n`;
}

/** What a waiting answer adds, and the payer's next step that it makes. */
function waits(kind: InputKind, baseUrl: string): { readonly waiting: object; readonly action: object } {
  if (kind === 'billing') {
    const url = `${baseUrl}/pay/np-7H2K9Q`;
    return { waiting: { payUrl: url }, action: { action: { type: 'redirect', method: 'GET', url } } };
  }
  if (kind !== 'upi') return { waiting: {}, action: {} };
  const expiry = '2026-03-02T10:10:10Z';
  return {
    waiting: { expiresAt: '2026-03-02T10:10:10.000Z' },
    action: { action: { type: 'upi', mode: 'collect', expiry } },
  };
}
