import { refuseSubmission } from '@paywright/contract';
import { noAnswer, reply, scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openBlob, readBlob, toCheck } from '../wire.ts';
import upi from '../index.ts';
import type { Options } from '../options.ts';
import { harness, refusal, shown, taken } from './messages.ts';

const { options, submission, submit, createContext } = harness;

/** The request, and the message in its blob as JSON text. */
async function asked(change: Partial<typeof submission>, given: Options = options) {
  const http = scriptedHttp(() => noAnswer());
  const ctx = createContext([], { options: given, http });
  await upi.submit({ ...submission, ...change }, ctx).catch(() => undefined);
  const [request] = http.requests;
  const blob = readBlob(Buffer.from(request?.body ?? '')) ?? '';
  return { request, blob, text: Buffer.from(blob, 'base64').toString(), message: openBlob(blob) };
}

describe('the request to the switch', () => {
  for (const [upiId, mode, method] of [
    ['asha@okbank', 'COLLECT', 'upi_collect'],
    ['intent@gw', 'INTENT', 'upi_intent'],
    ['Intent@GW', 'INTENT', 'upi_intent'],
    ['qr@gw', 'QR', 'upi_qr'],
    ['QR@gw', 'QR', 'upi_qr'],
    ['qr@gwx', 'COLLECT', 'upi_collect'],
    ['Asha.K@OkBank', 'COLLECT', 'upi_collect'],
  ] as const) {
    it(`sends mode ${mode} for ${upiId}`, async () => {
      const { message } = await asked({ upiId });
      expect(message).to.include({ mode });
      expect((message as { vpa?: unknown }).vpa).to.equal(mode === 'COLLECT' ? upiId : undefined);
      expect(upi.methodOf!({ ...submission, upiId }, options)).to.equal(method);
    });
  }

  for (const [amount, paise] of [
    ['25.9', '2590'],
    ['0', '0'],
    ['0.01', '1'],
    ['90071992547409930.01', '9007199254740993001'],
  ] as const) {
    it(`writes ${amount} as ${paise} paise`, async () => {
      expect((await asked({ money: { amount, currency: 'INR' } })).text).to.contain(`"paise":${paise},"mode"`);
    });
  }

  it('writes UTF-8, the time and the time to live, and our addresses', async () => {
    const payer = { ...submission.payer, name: 'Jörg ₹' };
    const { text } = await asked({ payer }, { ...options, ttlSeconds: 60 });
    expect(text).to.contain('"payer":{"name":"Jörg ₹","mobile":"+351912345678"}');
    expect(text).to.match(
      /"hook":"https:\/\/gateway.example\/callbacks\/upi","ret":"https:\/\/gateway.example\/pay\/10042","ttl":60,"at":1772442930250\}$/,
    );
  });

  it('hashes the whole path, including the path of the base address', async () => {
    for (const [baseUrl, prefix] of [
      ['https://switch.upi.example', ''],
      ['https://switch.upi.example/in/v', '/in/v'],
    ] as const) {
      const { request, blob } = await asked({}, { ...options, baseUrl });
      const check = toCheck(`${blob}${prefix}/upi/v1/pay`, '7', options.salts['7']!);
      expect(request?.headers).to.include({ 'X-U-Mid': 'MID1', 'X-U-Check': check });
      expect(request?.path).to.equal('/upi/v1/pay');
    }
  });

  it('accepts only INR, and only whole paise', () => {
    expect(upi.manifest.currencies).to.deep.equal(['INR']);
    const money = { amount: '25.901', currency: 'INR' };
    const outcome = refuseSubmission(upi.manifest, { money });
    expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
  });
});

describe('submit at the switch', () => {
  const providerReference = 'U001';
  const lapses = Date.parse('2026-03-02T09:25:30.999Z');
  const expiry = '2026-03-02T09:25:30Z';
  const link = 'upi://pay?pa=shop%40switch&am=25.90';

  for (const [name, data, expected] of [
    ['COMPLETED', shown('COMPLETED'), { outcome: 'succeeded' }],
    ['FAILED', shown('FAILED', { why: 'RISK' }), { outcome: 'failed', decline: 'U16' }],
    ['FAILED without why', shown('FAILED'), { outcome: 'failed', decline: '05' }],
    [
      'FAILED for a strange reason',
      shown('FAILED', { why: 'MOON' }),
      { outcome: 'failed', decline: '05', declineText: 'MOON', unknownStatus: 'MOON' },
    ],
    ['EXPIRED', shown('EXPIRED'), { outcome: 'failed', decline: '05' }],
    ['CANCELLED', shown('CANCELLED', { why: 'RISK' }), { outcome: 'failed', decline: '05' }],
    ['DEEMED', shown('DEEMED', { rrn: '1' }), { outcome: 'pending' }],
    ['a strange state', shown('ODD'), { outcome: 'pending', unknownStatus: 'ODD' }],
    [
      'PENDING for a collect',
      shown('PENDING', { lapses }),
      { outcome: 'pending', action: { type: 'upi', mode: 'collect', expiry } },
    ],
    [
      'PENDING for an intent',
      shown('PENDING', { lapses, mode: 'INTENT', link }),
      { outcome: 'pending', action: { type: 'upi', mode: 'intent', link, expiry } },
    ],
    [
      'PENDING for a QR code',
      shown('PENDING', { lapses, mode: 'QR', qr: link }),
      { outcome: 'pending', action: { type: 'upi', mode: 'qr', text: link, expiry } },
    ],
  ] as const) {
    it(`reads ${name}`, async () => {
      expect(await submit(taken(data))).to.deep.equal({ ...expected, providerReference });
    });
  }

  for (const [code, decline] of [
    ['PIN_WRONG', 'U30'],
    ['PAYER_DECLINED', 'U69'],
    ['VPA_UNKNOWN', '05'],
    ['NO_BALANCE', '51'],
  ] as const) {
    it(`declines 422 ${code} with ${decline}, without a transaction or a repeated text`, async () => {
      expect(await submit(refusal(422, code))).to.deep.equal({ outcome: 'failed', decline });
    });
  }

  it('declines 422 with an unknown code with 05, and keeps the code', async () => {
    const expected = { outcome: 'failed', decline: '05', declineText: 'MOON', unknownStatus: 'MOON' };
    expect(await submit(refusal(422, 'MOON'))).to.deep.equal(expected);
  });

  for (const [name, answer] of [
    ['400 FORMAT', refusal(400, 'FORMAT')],
    ['401 CHECK', refusal(401, 'CHECK')],
    ['429 BUSY', refusal(429, 'BUSY')],
    ['429 without a code', reply(429)],
    ['500 NOT_STARTED', refusal(500, 'NOT_STARTED')],
    ['503 NOT_STARTED', refusal(503, 'NOT_STARTED')],
  ] as const) {
    it(`treats ${name} as failed, nothing charged`, async () => {
      const outcome = await submit(answer);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true }).and.not.have.property('decline');
      expect('misconfigured' in outcome).to.equal(name === '401 CHECK');
      expect(JSON.stringify(outcome)).to.not.contain('asha');
    });
  }

  for (const [name, answer] of [
    ['409 REF_REUSED', refusal(409, 'REF_REUSED')],
    ['400 of another code', refusal(400, 'ODD')],
    ['400 of another server', reply(400, '<html>')],
    ['401 of another server', reply(401, '')],
    ['403', refusal(403, 'CHECK')],
    ['422 without a code', reply(422)],
    ['422 with an empty code', refusal(422, '')],
    ['422 that says ok', reply(422, { ok: true, code: 'RISK' })],
    ['404 NO_TXN', refusal(404, 'NO_TXN')],
    ['500 of another code', refusal(500, 'BUSY')],
    ['500 without a code', reply(500)],
    ['502 NOT_STARTED', refusal(502, 'NOT_STARTED')],
    ['201', reply(201, { ok: true, code: 'TAKEN', data: shown('COMPLETED') })],
    ['200 that is not ok', reply(200, { ok: false, code: 'TAKEN', data: shown('COMPLETED') })],
    ['200 without data', reply(200, { ok: true, code: 'PAYMENT_OK' })],
    ['another reference', taken(shown('COMPLETED', { gw_ref: 'GW-10042-2' }))],
    ['another merchant', taken(shown('COMPLETED', { mid: 'MID2' }))],
    ['another amount', taken(shown('COMPLETED', { paise: 2591 }))],
    ['an amount that is text', taken(shown('COMPLETED', { paise: '2590' }))],
    ['no number', taken(shown('COMPLETED', { u_txn: undefined }))],
    ['an empty number', taken(shown('COMPLETED', { u_txn: '' }))],
    ['a state that is null', taken(shown('COMPLETED', { state: null }))],
    ['a wait without an end', taken(shown('PENDING', { lapses: null }))],
    ['a wait whose end is text', taken(shown('PENDING', { lapses: '1795252200000' }))],
    ['an intent without a link', taken(shown('PENDING', { mode: 'INTENT', qr: link }))],
    ['a QR code without a text', taken(shown('PENDING', { mode: 'QR', link }))],
    ['a link that no payer’s app opens', taken(shown('PENDING', { mode: 'INTENT', link: 'javascript:alert(1)' }))],
    ['a wait of a strange mode', taken(shown('PENDING', { mode: 'ODD' }))],
  ] as const) {
    it(`treats ${name} as unknown`, async () => {
      const outcome = await submit(answer);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }
});

describe('a refusal of a field', () => {
  for (const [name, field] of [['for people', 'body']] as const) {
    it(`names ${field} for ${name}`, async () => {
      const refusal = reply(400, { ok: false, code: 'FORMAT', text: name });
      expect(await harness.submit(refusal)).to.include({ nothingCharged: true, refusedField: field });
    });
  }
});
