import { v, type HttpReply, type Outcome, type StatusReport, type StoredPayment } from '@gateway/contract';
import { noAnswer, reply, scriptedHttp, scriptedProvider } from '@gateway/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openBlob, readBlob, toCheck } from '../envelope.ts';
import upi from '../index.ts';
import { Options } from '../options.ts';
import { answered, now, options, shown, stored, submission, submit } from './helpers.ts';

const taken = (data: unknown, more: Readonly<Record<string, unknown>> = {}): HttpReply =>
  reply(200, { ok: true, code: 'TAKEN', data, ...more });
const refusal = (status: number, code: string): HttpReply => reply(status, { ok: false, code, text: 'asha@okbank' });
const fetchStatus = (answer: HttpReply, payment: StoredPayment = stored): Promise<StatusReport> =>
  answered(answer, (provider) => upi.fetchStatus!(payment, provider));
const refundOf = { reference: 'GW-10042-1-R1', money: { amount: '10', currency: 'INR' }, note: null };
const refund = (answer: HttpReply): Promise<Outcome> =>
  answered(answer, (provider) => upi.refund!(stored, refundOf, provider));
const { providerReference: _, ...nameless } = stored;

/** What is asked: the request, and the message in its blob as JSON text. */
async function asked(change: Partial<typeof submission>, given: Options = options) {
  const http = scriptedHttp(() => noAnswer());
  const provider = scriptedProvider({ options: given, now, http });
  await upi.submit({ ...submission, ...change }, provider).catch(() => undefined);
  const [request] = http.requests;
  const blob = readBlob(Buffer.from(request?.body ?? '')) ?? '';
  return { request, blob, text: Buffer.from(blob, 'base64').toString(), message: openBlob(blob) };
}

describe('what is asked of the switch', () => {
  for (const [upiId, mode, method] of [
    ['asha@okbank', 'COLLECT', 'upi_collect'],
    ['intent@gw', 'INTENT', 'upi_intent'],
    ['Intent@GW', 'INTENT', 'upi_intent'],
    ['qr@gw', 'QR', 'upi_qr'],
    ['QR@gw', 'QR', 'upi_qr'],
    ['qr@gwx', 'COLLECT', 'upi_collect'],
    ['Asha.K@OkBank', 'COLLECT', 'upi_collect'],
  ] as const) {
    it(`asks by ${mode} for ${upiId}`, async () => {
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

  it('hashes the path from the host on, with that of the base address', async () => {
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

  it('asks nothing without an id, in another currency, or for part of a paisa', async () => {
    const { upiId: _upiId, ...idless } = submission;
    for (const payment of [
      idless,
      { ...submission, money: { amount: '25.9', currency: 'EUR' } },
      { ...submission, money: { amount: '25.901', currency: 'INR' } },
    ]) {
      const http = scriptedHttp([]);
      const outcome = await upi.submit(payment, scriptedProvider({ options, now, http }));
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
      expect(http.requests).to.have.length(0);
    }
  });
});

describe('what the switch answers to a payment', () => {
  const providerReference = 'U001';
  const lapses = Date.parse('2026-03-02T09:25:30.999Z');
  const expiry = '2026-03-02T09:25:30Z';
  const link = 'upi://pay?pa=shop%40switch&am=25.90';

  for (const [name, data, expected] of [
    ['COMPLETED', shown('COMPLETED'), { outcome: 'succeeded' }],
    ['FAILED', shown('FAILED', { why: 'RISK' }), { outcome: 'failed', decline: 'U16' }],
    ['FAILED without why', shown('FAILED'), { outcome: 'failed', decline: '05' }],
    [
      'FAILED of a strange word',
      shown('FAILED', { why: 'MOON' }),
      { outcome: 'failed', decline: '05', declineText: 'MOON', unknownWord: 'MOON' },
    ],
    ['EXPIRED', shown('EXPIRED'), { outcome: 'failed', decline: '05' }],
    ['CANCELLED', shown('CANCELLED', { why: 'RISK' }), { outcome: 'failed', decline: '05' }],
    ['DEEMED', shown('DEEMED', { rrn: '1' }), { outcome: 'pending' }],
    ['a strange state', shown('ODD'), { outcome: 'pending', unknownWord: 'ODD' }],
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
    it(`declines 422 ${code} with ${decline}, has no transaction, and repeats no text`, async () => {
      expect(await submit(refusal(422, code))).to.deep.equal({ outcome: 'failed', decline });
    });
  }

  it('declines 422 of a strange word with 05, and keeps the word', async () => {
    const expected = { outcome: 'failed', decline: '05', declineText: 'MOON', unknownWord: 'MOON' };
    expect(await submit(refusal(422, 'MOON'))).to.deep.equal(expected);
  });

  for (const [name, answer] of [
    ['400 FORMAT', refusal(400, 'FORMAT')],
    ['401 CHECK', refusal(401, 'CHECK')],
    ['429 BUSY', refusal(429, 'BUSY')],
    ['429 without words', reply(429)],
    ['500 NOT_STARTED', refusal(500, 'NOT_STARTED')],
    ['503 NOT_STARTED', refusal(503, 'NOT_STARTED')],
  ] as const) {
    it(`takes ${name} as failed, nothing charged`, async () => {
      const outcome = await submit(answer);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true }).and.not.have.property('decline');
      expect('misconfigured' in outcome).to.equal(name === '401 CHECK');
      expect(JSON.stringify(outcome)).to.not.contain('asha');
    });
  }

  for (const [name, answer] of [
    ['409 REF_REUSED', refusal(409, 'REF_REUSED')],
    ['400 of another code', refusal(400, 'ODD')],
    ['400 of somebody else', reply(400, '<html>')],
    ['401 of somebody else', reply(401, '')],
    ['403', refusal(403, 'CHECK')],
    ['422 without words', reply(422)],
    ['422 with an empty code', refusal(422, '')],
    ['422 that says ok', reply(422, { ok: true, code: 'RISK' })],
    ['404 NO_TXN', refusal(404, 'NO_TXN')],
    ['500 of another code', refusal(500, 'BUSY')],
    ['500 without words', reply(500)],
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
    it(`takes ${name} as unknown`, async () => {
      const outcome = await submit(answer);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }
});

describe('what the switch answers to a status question', () => {
  for (const [state, status] of [
    ['PENDING', 'pending'],
    ['DEEMED', 'pending'],
    ['COMPLETED', 'succeeded'],
    ['FAILED', 'failed'],
    ['EXPIRED', 'expired'],
    ['CANCELLED', 'cancelled'],
    ['REFUND_DONE', 'unknown'],
    ['DISPUTED', 'unknown'],
    ['ODD', 'unknown'],
  ] as const) {
    it(`reads ${state} as the payment's ${status}`, async () => {
      const report = await fetchStatus(taken(shown(state, { paise: 999, rrn: '007', why: 'LIMIT' })));
      const events = report.news === 'events' ? report.events : [];
      expect(events).to.have.length(1);
      expect(upi.mapStatus(events[0]!)).to.equal(status);
      expect(events[0]).to.include({ kind: 'payment', word: state, dedupeKey: `U001|${state}|007`, amount: '9.99' });
      expect(events[0]!.decline).to.equal(state === 'FAILED' ? '61' : undefined);
      expect('action' in events[0]!).to.equal(state === 'PENDING');
      expect(events[0]).to.not.have.any.keys('orderHint', 'occurredAt', 'subReference');
    });
  }

  it('says late as a callback does', async () => {
    const report = await fetchStatus(taken(shown('COMPLETED', { late: true })));
    expect(report.news === 'events' && upi.mapStatus(report.events[0]!)).to.equal('late');
  });

  it('shows the link of an intent whose answer was lost', async () => {
    const report = await fetchStatus(taken(shown('PENDING', { mode: 'INTENT', link: 'upi://pay?a=1' })), nameless);
    expect(report.news === 'events' && report.events[0]).to.have.nested.property('action.link', 'upi://pay?a=1');
  });

  it('believes 404 NO_TXN: nothing was charged', async () => {
    expect((await fetchStatus(refusal(404, 'NO_TXN'))).news).to.equal('nothing_charged');
  });

  for (const [name, answer] of [
    ['404 of another code', refusal(404, 'ODD')],
    ['404 of somebody else', reply(404, '<html>')],
    ['401', refusal(401, 'CHECK')],
    ['429', reply(429)],
    ['500 NOT_STARTED', refusal(500, 'NOT_STARTED')],
    ['400 NO_TXN', refusal(400, 'NO_TXN')],
    ['200 that is not ok', reply(200, { ok: false, code: 'NO_TXN', data: shown('COMPLETED') })],
    ['another reference', taken(shown('COMPLETED', { gw_ref: 'GW-10042-2' }))],
    ['another merchant', taken(shown('COMPLETED', { mid: 'MID2' }))],
    ['a page', reply(200, '<html>')],
  ] as const) {
    it(`takes ${name} as no news`, async () => expect((await fetchStatus(answer)).news).to.equal('none'));
  }
});

describe('when the switch is asked', () => {
  const at = (seconds: number): Date => new Date(stored.endedAt!.getTime() + seconds * 1000);
  const action = (lapsesAfter: number) => {
    const expiry = at(lapsesAfter).toISOString();
    return { type: 'upi', mode: 'collect', expiry } as const;
  };
  const next = (payment: StoredPayment, asked: number, seconds: number): number | undefined =>
    upi.nextFetch!(payment, asked, at(seconds));
  /** Seconds after the submission's end at which core asks, at most twenty times. */
  function asks(payment: StoredPayment): number[] {
    const times: number[] = [];
    for (let time = 0; times.length < 20;) {
      const delay = next(payment, times.length, time);
      if (delay === undefined) return times;
      time += delay;
      times.push(time);
    }
    return times;
  }

  it('asks a pending payment until ten minutes after it lapsed, then as a deemed one', () => {
    const times = asks({ ...stored, action: action(1800) });
    expect(times.slice(0, 8)).to.deep.equal([30, 90, 210, 510, 1110, 1710, 2310, 5910]);
    expect(times.slice(8, 10)).to.deep.equal([9510, 13_110]);
  });

  it('asks every hour for two days where it was deemed at once', () => {
    expect(asks(stored).slice(0, 3)).to.deep.equal([3600, 7200, 10_800]);
    expect([next(stored, 47, 47 * 3600), next(stored, 48, 48 * 3600), next(stored, 49, 48 * 3600 + 1)]).to.deep.equal([
      3600,
      3600,
      undefined,
    ]);
  });

  it('asks soon where nothing is known, for a payer may have an hour', () => {
    const times = asks(nameless);
    expect(times.slice(0, 5)).to.deep.equal([30, 90, 210, 510, 1110]);
    expect(times.slice(9, 12)).to.deep.equal([4110, 7710, 11_310]);
  });

  it('begins with the question where the submission has not ended', () => {
    expect(upi.nextFetch!({ ...nameless, endedAt: null }, 0, now)).to.equal(30);
  });
});

describe('what the switch answers to a refund', () => {
  const made = (state: string, more: Readonly<Record<string, unknown>> = {}): HttpReply =>
    reply(200, {
      ok: true,
      code: state,
      data: { r_txn: 'R1', u_txn: 'U001', key: 'GW-10042-1-R1', paise: 1000, state, ...more },
    });
  const providerReference = 'R1';

  for (const [state, expected] of [
    ['REFUND_PENDING', { outcome: 'pending' }],
    ['REFUND_DONE', { outcome: 'succeeded' }],
    ['REFUND_FAILED', { outcome: 'failed', nothingCharged: true }],
    ['REFUND_REVERSED', { outcome: 'failed', nothingCharged: true }],
    ['ODD', { outcome: 'pending', unknownWord: 'ODD' }],
  ] as const) {
    it(`reads ${state}`, async () =>
      expect(await refund(made(state))).to.deep.equal({ ...expected, providerReference }));
  }

  for (const [name, answer] of [
    ['422 TOO_MUCH', refusal(422, 'TOO_MUCH')],
    ['422 of another code', refusal(422, 'RISK')],
    ['400 FORMAT', refusal(400, 'FORMAT')],
    ['401 CHECK', refusal(401, 'CHECK')],
    ['429', reply(429)],
    ['500 NOT_STARTED', refusal(500, 'NOT_STARTED')],
  ] as const) {
    it(`takes ${name} as failed, nothing given back`, async () => {
      const outcome = await refund(answer);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true }).and.not.have.property('decline');
    });
  }

  for (const [name, answer] of [
    ['409', refusal(409, 'REF_REUSED')],
    ['404', refusal(404, 'NO_TXN')],
    ['422 without words', reply(422)],
    ['500', reply(500)],
    ['another transaction', made('REFUND_DONE', { u_txn: 'U002' })],
    ['another key', made('REFUND_DONE', { key: 'GW-10042-1-R2' })],
    ['another amount', made('REFUND_DONE', { paise: 999 })],
    ['no number', made('REFUND_DONE', { r_txn: '' })],
    ['no JSON', reply(200, 'ok')],
  ] as const) {
    it(`takes ${name} as unknown`, async () => expect((await refund(answer)).outcome).to.equal('unknown'));
  }

  it('asks nothing without the transaction, or for part of a paisa', async () => {
    const none = await answered(made('REFUND_DONE'), (provider) => upi.refund!(nameless, refundOf, provider));
    const money = { amount: '0.001', currency: 'INR' };
    const part = await answered(made('REFUND_DONE'), (provider) =>
      upi.refund!(stored, { ...refundOf, money }, provider),
    );
    for (const outcome of [none, part]) expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
  });
});

describe('the options of the switch', () => {
  const issue = (change: Readonly<Record<string, unknown>>): string | undefined => {
    const { issues } = v.safeParse(Options, { ...options, ...change });
    return issues && (v.getDotPath(issues[0]) ?? 'the whole');
  };

  it('gives the payer ten minutes unless told otherwise', () => {
    const { ttlSeconds: _ttl, ...rest } = options;
    expect(v.parse(Options, rest).ttlSeconds).to.equal(600);
    expect([issue({ ttlSeconds: 60 }), issue({ ttlSeconds: 3600 })]).to.deep.equal([undefined, undefined]);
  });

  for (const [name, value] of [
    ['ttlSeconds', 59],
    ['ttlSeconds', 3601],
    ['ttlSeconds', 60.5],
    ['merchantId', ''],
    ['merchantId', 'MID 1'],
    ['merchantId', 'MID-1'],
    ['saltIndex', '2'],
    ['saltIndex', 7],
    ['saltIndex', 'constructor'],
    ['extra', 1],
  ] as const) {
    it(`refuses ${name} ${JSON.stringify(value)} by its name`, () => expect(issue({ [name]: value })).to.equal(name));
  }

  for (const salts of [
    { '7': '' },
    { '07': 'x', '7': 'y' },
    { '0': 'x', '7': 'y' },
    { '1000': 'x', '7': 'y' },
    { one: 'x', '7': 'y' },
    [],
    'x',
  ]) {
    it(`refuses the salts ${JSON.stringify(salts)}`, () => expect(issue({ salts })).to.match(/^salt(s|Index)/));
  }
});
