import {
  JsonNumber,
  v,
  type CompletionStep,
  type HttpReply,
  type Outcome,
  type StoredPayment,
} from '@gateway/contract';
import { noAnswer, reply, scriptedHttp, scriptedProvider } from '@gateway/contract/testing';
import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerG from '../index.ts';
import { Options } from '../options.ts';
import {
  boxed,
  charge,
  chargeReply,
  errorReply,
  headersFor,
  news,
  now,
  options,
  plaintextOf,
  provider,
  second,
  seconds,
  signedReply,
  stored,
  submission,
  submit,
  txn,
} from './helpers.ts';

const reference = 'GW-10042-1';
const challenge = { id: '8a880dc0-d2d2-4067-bcb1-b08d1690b26e', url: 'https://acs.example/acs/8a88', creq: 'eyJ9' };

/** Answers with status 200 that prove nothing about a payment, or are about another. */
const unproven: readonly (readonly [what: string, reply: HttpReply])[] = [
  ['an unsigned answer', { ...chargeReply('PAID'), headers: [] }],
  ['a signature over other bytes', chargeReply('PAID', {}, { over: 'x' })],
  ['an answer 301 s old', chargeReply('PAID', {}, { time: seconds - 301 })],
  ['an answer 301 s early', chargeReply('PAID', {}, { time: seconds + 301 })],
  [
    'a header twice',
    { ...chargeReply('PAID'), headers: [...chargeReply('PAID').headers, ['G-Nonce', 'nonce-00000002']] },
  ],
  ['a box about another ref', signedReply(boxed('GW-10042-2', charge('PAID')))],
  ['a box bound to another ref', signedReply(boxed('GW-10042-2', charge('PAID'), { ref: reference }))],
  ['another ref beside the box', signedReply(boxed(reference, charge('PAID'), { ref: 'GW-10042-2' }))],
  ['an answer without ref', signedReply(boxed(reference, charge('PAID'), {}))],
  ['a plaintext that is a list', signedReply(boxed(reference, '[]'))],
  ['another mid', chargeReply('PAID', { mid: 'M1000428' })],
  ['another gw_ref', chargeReply('PAID', { gw_ref: 'GW-10042-2' })],
  ['another minor', chargeReply('PAID', { minor: 2591 })],
  ['minor with a point', signedReply(boxed(reference, withMid(charge('PAID')).replace('2590', '2590.0')))],
  ['minor as text', chargeReply('PAID', { minor: '2590' })],
  ['another cur', chargeReply('PAID', { cur: 'USD' })],
  ['cur in small letters', chargeReply('PAID', { cur: 'eur' })],
  ['no g_txn', chargeReply('PAID', { g_txn: undefined })],
  ['a g_txn that is a number', chargeReply('PAID', { g_txn: 17 })],
  ['no status', chargeReply('PAID', { status: null })],
  ['a page', reply(200, '<html>')],
];

function withMid(members: object): string {
  return JSON.stringify({ mid: options.merchantId, ...members });
}

/** Errors that do not say `"begun":false`, or that nobody knows for G's. */
const unclear: readonly (readonly [what: string, reply: HttpReply])[] = [
  ['409 REF_REUSED', errorReply(409, 'REF_REUSED', true)],
  ['409 IN_WORK', errorReply(409, 'IN_WORK', true)],
  ['500 that had begun', errorReply(500, 'INTERNAL', true)],
  ['500 without begun', errorReply(500, 'INTERNAL')],
  ['begun as text', errorReply(500, 'INTERNAL', 'false')],
  ['begun as 0', errorReply(500, 'INTERNAL', 0)],
  ['begun as null', errorReply(500, 'INTERNAL', null)],
  ['an error without code', reply(503, { reason: 'CLOSED', begun: false })],
  ['an error of another code', reply(503, { code: 'SUCCESS', reason: 'CLOSED', begun: false })],
  ['an error without reason', reply(503, { code: 'FAIL', begun: false })],
  ['a page', reply(502, '<html>')],
  ['429 without words', reply(429, '')],
  ['an error with status 200', errorReply(200, 'CLOSED', false)],
  ['an error with status 302', errorReply(302, 'CLOSED', false)],
  ['a proven charge with status 201', { ...chargeReply('PAID'), status: 201 }],
];

describe('what is asked of G', () => {
  const sent = async (more: object = {}) => {
    const http = scriptedHttp([null]);
    const call = providerG.submit({ ...submission, ...more }, scriptedProvider({ options, now, http }));
    await call.catch(() => undefined);
    return http.requests[0]!;
  };

  it('is a signed POST whose nonce is the box’s', async () => {
    const { method, path, headers, body } = await sent();
    expect([method, path]).to.deep.equal(['POST', '/v1/charges']);
    expect(headers).to.include({
      'Content-Type': 'application/json',
      'G-Mid': 'M1000427',
      'G-Time': String(seconds),
      'G-Serial': '6D1F00A10B2C3D4E',
    });
    const { ref, box } = JSON.parse(body as string) as { ref: string; box: { n: string; aad: string } };
    expect([ref, box.aad]).to.deep.equal([reference, 'M1000427:GW-10042-1']);
    expect(Buffer.from(box.n, 'base64').toString('hex')).to.equal(headers?.['G-Nonce']);
  });

  for (const [what, more, said] of [
    ['nothing about 3D Secure', {}, { secure: 'auto', delayHours: 0, browser: null }],
    ['demands', { is3ds: true }, { secure: 'demand' }],
    ['skips', { is3ds: false }, { secure: 'skip' }],
  ] as const) {
    it(`${what}: ${JSON.stringify(said)}`, async () => {
      const { secure, browser } = plaintextOf((await sent(more)).body);
      expect({ secure, browser }).to.deep.include({ secure: said.secure, browser: null });
    });
  }

  it('holds capture delay, browser and address of the payer as they came', async () => {
    const browserInfo = { userAgent: 'x', javaEnabled: false, colorDepth: '24' };
    const payer = { ...submission.payer, ipAddress: '2001:db8::1', name: 'Zoë "Z" \\ \u2028', state: '' };
    const { body } = await sent({ captureDelayHours: 7, browserInfo, payer });
    const said = plaintextOf(body);
    expect(JSON.stringify(said['browser'])).to.equal(JSON.stringify(browserInfo));
    expect(JSON.parse(JSON.stringify(said))).to.deep.include({
      delayHours: 7,
      payer: { name: payer.name, email: payer.email, phone: payer.phoneNumber, ip: '2001:db8::1' },
    });
  });

  for (const [amount, currency, minor] of [
    ['25.9', 'EUR', '2590'],
    ['0', 'EUR', '0'],
    ['1800', 'JPY', '1800'],
    ['1.5', 'KWD', '1500'],
    ['90071992547409.93', 'EUR', '9007199254740993'],
    ['9999999999999999.99', 'EUR', '999999999999999999'],
  ] as const) {
    it(`writes ${amount} ${currency} as ${minor}`, async () => {
      const said = plaintextOf((await sent({ money: { amount, currency } })).body);
      expect(said['minor']).to.be.instanceOf(JsonNumber).with.property('text', minor);
    });
  }

  it('is nothing where G cannot take it', async () => {
    const { card: _, ...cardless } = submission;
    const quiet = provider();
    expect(await providerG.submit(cardless, quiet)).to.include({ nothingCharged: true });
    for (const amount of ['25.901', '10000000000000000']) {
      const given = { ...submission, money: { amount, currency: 'EUR' } };
      expect(await providerG.submit(given, quiet)).to.include({ outcome: 'failed', nothingCharged: true });
    }
  });

  it('is bound to 18 digits and no wallet', () => {
    const fits = (body: object): boolean => v.safeParse(providerG.manifest.bounds!, body).success;
    expect([fits({ amount: '9999999999999999.99', unit: 'EUR' }), fits({ captureDelayHours: 7 })]).to.deep.equal([
      true,
      true,
    ]);
    expect([fits({ amount: '10000000000000000', unit: 'EUR' }), fits({ wallet: {} })]).to.deep.equal([false, false]);
  });
});

describe('what G answers to a charge', () => {
  for (const [status, expected] of [
    ['PAID', { outcome: 'succeeded' }],
    ['CLOSED', { outcome: 'failed' }],
    ['LAPSED', { outcome: 'failed' }],
    ['AUTHED', { outcome: 'pending', authorised: true }],
    ['WAITING', { outcome: 'pending' }],
    ['SCORED', { outcome: 'unknown', unknownWord: 'SCORED' }],
    ['paid', { outcome: 'unknown' }],
    ['REFUND_OK', { outcome: 'unknown' }],
  ] as const) {
    it(`reads ${status} as ${expected.outcome}`, async () => {
      const outcome = await submit(chargeReply(status));
      expect(outcome).to.include({ ...expected, providerReference: txn });
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }

  for (const [why, expected] of [
    ['DO_NOT_HONOR', { decline: '05' }],
    ['NO_FUNDS', { decline: '51' }],
    ['EXPIRED', { decline: '54' }],
    ['FORBIDDEN', { decline: '57' }],
    ['OVER_LIMIT', { decline: '61' }],
    ['SECURE_FAILED', { decline: '05', threeDsResult: 'N' }],
    ['CARD_BLOCKED', { decline: '05', declineText: 'CARD_BLOCKED', unknownWord: 'CARD_BLOCKED' }],
    [null, { decline: '05' }],
  ] as const) {
    it(`reads UNPAID for ${why} as declined ${expected.decline}`, async () => {
      const outcome = await submit(chargeReply('UNPAID', { why }));
      expect(outcome).to.deep.equal({ outcome: 'failed', providerReference: txn, ...expected });
    });
  }

  it('takes the challenge as a form with the gateway’s token', async () => {
    expect(await submit(chargeReply('CHALLENGE', { challenge }))).to.deep.equal({
      outcome: 'pending',
      providerReference: txn,
      action: {
        type: 'redirect',
        method: 'POST',
        url: challenge.url,
        fields: { creq: challenge.creq, threeDSSessionData: 'the-token' },
        transactionId: challenge.id,
      },
    });
  });

  for (const odd of [null, { ...challenge, url: 'javascript:1' }, { ...challenge, creq: null }, { id: challenge.id }]) {
    it(`leaves a challenge ${JSON.stringify(odd)} unknown`, async () => {
      const outcome = await submit(chargeReply('CHALLENGE', { challenge: odd }));
      expect(outcome).to.include({ outcome: 'unknown', providerReference: txn }).and.not.have.property('action');
    });
  }

  it('is believed up to 300 s away, and under any key and box key of ours', async () => {
    for (const by of [{ time: seconds - 300 }, { time: seconds + 300 }, { key: second }]) {
      expect((await submit(chargeReply('PAID', {}, by))).outcome).to.equal('succeeded');
    }
    const older = { ...options, boxKeys: [options.boxKeys[1]!] };
    const body = boxed(reference, charge('PAID'), { ref: reference, note: 1 }, older);
    expect((await submit(signedReply(body))).outcome).to.equal('succeeded');
  });

  for (const [what, answer] of [...unproven, ...unclear]) {
    it(`leaves the charge unknown after ${what}`, async () => {
      const outcome = await submit(answer);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('providerReference', 'nothingCharged');
    });
  }

  for (const [status, reason] of [
    [400, 'BAD_REQUEST'],
    [401, 'SIGNATURE'],
    [409, 'REF_REUSED'],
    [422, 'NOT_ALLOWED'],
    [429, 'SLOW_DOWN'],
    [500, 'INTERNAL'],
    [503, 'CLOSED'],
    [418, 'ANYTHING'],
  ] as const) {
    it(`takes ${status} ${reason} that had not begun as nothing charged`, async () => {
      const outcome = await submit(errorReply(status, reason, false));
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
      expect(outcome).not.to.have.property('decline');
      expect('misconfigured' in outcome).to.equal(status === 401);
    });
  }
});

describe('what G answers to a completion', () => {
  const cres: CompletionStep = { kind: '3ds', field: 'cres', value: 'eyJ0', transactionId: challenge.id, hint: 'Y' };
  const complete = (answer: HttpReply, payment = stored, step: CompletionStep = cres): Promise<Outcome> =>
    providerG.complete!(payment, step, provider([answer]));

  it('is asked with the result as the browser brought it', async () => {
    const http = scriptedHttp([chargeReply('PAID')]);
    await providerG.complete!(stored, cres, scriptedProvider({ options, now, http }));
    expect(http.requests[0]).to.include({ method: 'POST', path: `/v1/charges/${txn}/complete` });
    expect(JSON.stringify(plaintextOf(http.requests[0]!.body))).to.equal(
      JSON.stringify({ mid: 'M1000427', g_txn: txn, gw_ref: reference, cres: 'eyJ0' }),
    );
  });

  it('counts, whatever the hint says', async () => {
    expect(await complete(chargeReply('PAID'), stored, { ...cres, hint: 'N' })).to.include({ outcome: 'succeeded' });
    const failed = await complete(chargeReply('UNPAID', { why: 'SECURE_FAILED' }));
    expect(failed).to.include({ outcome: 'failed', decline: '05', threeDsResult: 'N' });
  });

  for (const [what, answer] of [
    ...unproven,
    ...unclear,
    ['422 NOT_READY', errorReply(422, 'NOT_READY', true)],
    ['422 BAD_CRES', errorReply(422, 'BAD_CRES', true)],
    // A charge under way may still be completed: nothing is lost by asking again.
    ['429 SLOW_DOWN', errorReply(429, 'SLOW_DOWN', false)],
    ['503 CLOSED', errorReply(503, 'CLOSED', false)],
    ['an answer about another charge', chargeReply('PAID', { g_txn: '1' })],
  ] as const) {
    it(`leaves the charge unknown after ${what}`, async () => {
      const outcome = await complete(answer);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.property('nothingCharged');
    });
  }

  it('cannot be asked for without G’s id', async () => {
    const { providerReference: _, ...nameless } = stored;
    expect((await complete(chargeReply('PAID'), nameless)).outcome).to.equal('unknown');
  });

  it('is not asked for without a cres: the same challenge waits, under a new token', async () => {
    const { url, creq, id: transactionId } = challenge;
    const fields = { creq, threeDSSessionData: 'an older token' };
    const action = { type: 'redirect', method: 'POST', url, fields, transactionId } as const;
    for (const step of [{ kind: 'return' }, { ...cres, field: 'PaRes' }, { kind: 'code', code: '1' }] as const) {
      expect(await providerG.complete!({ ...stored, action }, step, provider())).to.deep.equal({
        outcome: 'pending',
        providerReference: txn,
        action: { ...action, fields: { creq, threeDSSessionData: 'the-token' } },
      });
    }
    expect((await providerG.complete!(stored, { kind: 'return' }, provider())).outcome).to.equal('unknown');
  });
});

describe('what G answers to a status question', () => {
  const fetchStatus = (answer: HttpReply, payment: StoredPayment = stored) =>
    providerG.fetchStatus!(payment, provider([answer]));
  const statusReply = (status: string, events: unknown, more: object = {}): HttpReply =>
    chargeReply(status, { at: '2026-03-02T09:15:29Z', events, ...more });
  const event = (gid: string, status: string, more: object = {}) => {
    const { g_txn: _txn, gw_ref: _ref, ...movement } = news(status);
    return { gid, ...movement, ...more };
  };
  const told = async (answer: HttpReply): Promise<string[]> => {
    const report = await fetchStatus(answer);
    if (report.news !== 'events') return [report.news];
    return report.events.map(
      (one) => `${one.kind} ${one.word} ${providerG.mapStatus(one)} ${one.amount} ${one.dedupeKey}`,
    );
  };

  it('is asked with our reference, signed over the path with its query', async () => {
    const http = scriptedHttp([errorReply(503, 'CLOSED', false)]);
    await providerG.fetchStatus!(stored, scriptedProvider({ options, now, http }));
    expect(http.requests[0]).to.include({ method: 'GET', path: '/v1/charges?ref=GW-10042-1' });
    expect(http.requests[0]).not.to.have.property('body');
  });

  it('tells every event as its callback told it', async () => {
    const events = [
      event('g_1', 'WAITING'),
      event('g_2', 'PAID'),
      event('g_3', 'REFUND_OK', { minor: 500 }),
      event('g_4', 'DISPUTED'),
      event('g_5', 'SCORED'),
    ];
    expect(await told(statusReply('PAID', events))).to.deep.equal([
      'payment WAITING pending 25.90 g_1',
      'payment PAID succeeded 25.90 g_2',
      'refund REFUND_OK succeeded 5.00 g_3',
      'chargeback DISPUTED opened 25.90 g_4',
      'payment SCORED unknown 25.90 g_5',
    ]);
  });

  it('carries the decline of an event', async () => {
    const report = await fetchStatus(statusReply('UNPAID', [event('g_1', 'UNPAID', { why: 'NO_FUNDS' })]));
    expect(report.news === 'events' && report.events[0]).to.include({ decline: '51', dedupeKey: 'g_1' });
  });

  for (const [status, expected] of [
    ['PAID', `payment PAID succeeded 25.90 ${txn}:PAID`],
    ['UNPAID', `payment UNPAID failed 25.90 ${txn}:UNPAID`],
    ['AUTHED', `payment AUTHED authorised 25.90 ${txn}:AUTHED`],
    ['CLOSED', `payment CLOSED cancelled 25.90 ${txn}:CLOSED`],
    ['LAPSED', `payment LAPSED expired 25.90 ${txn}:LAPSED`],
    ['WAITING', 'waiting'],
    ['CHALLENGE', 'waiting'],
    ['SCORED', 'none'],
  ] as const) {
    it(`tells ${status}, of which nothing was told yet, as ${expected}`, async () => {
      expect(await told(statusReply(status, []))).to.deep.equal([expected]);
      const waiting = [event('g_1', 'WAITING')];
      const after = expected.startsWith('payment') ? [expected] : [];
      expect(await told(statusReply(status, waiting))).to.deep.equal(['payment WAITING pending 25.90 g_1', ...after]);
    });
  }

  for (const [what, events] of [
    ['no events', undefined],
    ['events that are no list', {}],
    ['an event without gid', [{ ...event('g_1', 'PAID'), gid: undefined }]],
    ['an event with an empty gid', [event('', 'PAID')]],
    ['an event whose amount has a point', [event('g_1', 'PAID', { minor: 25.9 })]],
    ['an event whose currency is none', [event('g_1', 'PAID', { cur: 'eur' })]],
  ] as const) {
    it(`takes ${what} as no news`, async () => {
      expect(await told(statusReply('PAID', events))).to.deep.equal(['none']);
    });
  }

  for (const [what, answer] of [
    ...unproven,
    ...unclear,
    ['503 CLOSED', errorReply(503, 'CLOSED', false)],
    ['404 of somebody else', reply(404, '<html>')],
    ['404 with another word', errorReply(404, 'NO_KEY', false)],
    ['NO_CHARGE with status 200', errorReply(200, 'NO_CHARGE', false)],
  ] as const) {
    it(`takes ${what} as no news`, async () => {
      expect((await fetchStatus(answer)).news).to.equal('none');
    });
  }

  it('takes 404 NO_CHARGE as final once the submission has ended', async () => {
    const none = errorReply(404, 'NO_CHARGE', false);
    expect((await fetchStatus(none, { ...stored, endedAt: now })).news).to.equal('nothing_charged');
    expect((await fetchStatus(none, { ...stored, endedAt: null })).news).to.equal('none');
  });
});

describe('what G answers to a refund', () => {
  const request = { reference: 'GW-10042-1-R1', money: { amount: '10', currency: 'EUR' }, note: null };
  const said = { g_txn: txn, gw_ref: reference, status: 'REFUND_WAIT', minor: 1000, cur: 'EUR', why: null };
  const answer = (more: object = {}, ref = request.reference): HttpReply =>
    signedReply(boxed(ref, { ...said, ...more }));
  const refund = (given: HttpReply, payment = stored): Promise<Outcome> =>
    providerG.refund!(payment, request, provider([given]));

  for (const [status, expected] of [
    ['REFUND_WAIT', { outcome: 'pending' }],
    ['REFUND_OK', { outcome: 'succeeded' }],
    ['REFUND_BAD', { outcome: 'failed', nothingCharged: true }],
    ['REFUND_BACK', { outcome: 'unknown', unknownWord: 'REFUND_BACK' }],
    ['PAID', { outcome: 'unknown' }],
  ] as const) {
    it(`reads ${status} as ${expected.outcome}, under the payment's own id`, async () => {
      expect(await refund(answer({ status }))).to.include({ ...expected, providerReference: txn });
    });
  }

  for (const [what, given] of [
    ['another refund', answer({ status: 'REFUND_OK' }, 'GW-10042-1-R2')],
    ['another charge', answer({ g_txn: '1' })],
    ['another payment', answer({ gw_ref: 'GW-10042-2' })],
    ['another sum', answer({ minor: 1001 })],
    ['another currency', answer({ cur: 'USD' })],
    ['another merchant', answer({ mid: 'M1000428' })],
    ['an unsigned answer', { ...answer(), headers: headersFor('x') }],
    ...unclear,
  ] as const) {
    it(`leaves the refund unknown after ${what}`, async () => {
      const outcome = await refund(given);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.property('nothingCharged');
    });
  }

  for (const [status, reason] of [
    [422, 'NOT_ALLOWED'],
    [404, 'NO_CHARGE'],
    [429, 'SLOW_DOWN'],
    [503, 'CLOSED'],
  ] as const) {
    it(`gives nothing back after ${status} ${reason} that had not begun`, async () => {
      expect(await refund(errorReply(status, reason, false))).to.include({ outcome: 'failed', nothingCharged: true });
    });
  }

  it('is not asked for without G’s id, or with an amount that the currency has not', async () => {
    const { providerReference: _, ...nameless } = stored;
    expect(await refund(answer(), nameless)).to.include({ nothingCharged: true });
    const odd = { ...request, money: { amount: '10.001', currency: 'EUR' } };
    expect(await providerG.refund!(stored, odd, provider())).to.include({ nothingCharged: true });
  });

  it('lets a lost connection through', async () => {
    const lost = provider(() => noAnswer());
    const failed = await providerG.refund!(stored, request, lost).catch((error: unknown) => error);
    expect(failed).to.have.property('failure', 'no_answer');
  });
});

describe('the options of G', () => {
  const keyPair = (modulusLength: number) =>
    generateKeyPairSync('rsa', {
      modulusLength,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
  const short = keyPair(1024);
  const curve = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const [known] = options.providerKeys;
  const { serial, privateKey } = options.merchantKey;
  const boxKey = options.boxKeys[0]!;

  for (const [name, value] of [
    ['merchantId', 'M10'],
    ['merchantId', 'm1000427'],
    ['merchantId', 'M'.repeat(21)],
    ['merchantKey', { serial }],
    ['merchantKey', { serial: '6d1f00a10b2c3d4e', privateKey }],
    ['merchantKey', { serial: '6D1F00A', privateKey }],
    ['merchantKey', { serial, privateKey: short.privateKey }],
    ['merchantKey', { serial, privateKey: curve.privateKey }],
    ['merchantKey', { serial, privateKey: known!.publicKey }],
    ['merchantKey', { serial, privateKey: 'tell-no-one' }],
    ['merchantKey', { serial, privateKey, more: 1 }],
    ['boxKeys', []],
    ['boxKeys', [boxKey, boxKey, boxKey, boxKey]],
    ['boxKeys', [Buffer.alloc(31).toString('base64')]],
    ['boxKeys', [boxKey.replace('=', '')]],
    ['providerKeys', []],
    ['providerKeys', [known, known]],
    ['providerKeys', Array.from({ length: 7 }, (_, at) => ({ ...known!, serial: `0000000${at}` }))],
    ['providerKeys', [{ ...known!, publicKey: short.publicKey }]],
    ['providerKeys', [{ ...known!, publicKey: curve.publicKey }]],
    ['providerKeys', [{ ...known!, publicKey: privateKey }]],
  ] as const) {
    it(`refuse ${name} ${JSON.stringify(value).slice(0, 60)}`, () => {
      const { issues = [] } = v.safeParse(Options, { ...options, [name]: value });
      expect(issues.length).to.be.greaterThan(0);
      for (const issue of issues) {
        expect(v.getDotPath(issue)).to.match(new RegExp(`^${name}`));
        expect(issue.message).not.to.match(/BEGIN|tell-no-one/);
      }
    });
  }

  it('take three box keys and six keys of G', () => {
    const providerKeys = Array.from({ length: 6 }, (_, at) => ({ ...known!, serial: `0000000${at}` }));
    const given = { ...options, boxKeys: [boxKey, boxKey, boxKey], providerKeys };
    expect(v.safeParse(Options, given).success).to.equal(true);
  });
});
