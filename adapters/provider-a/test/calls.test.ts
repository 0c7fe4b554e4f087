import { v, type DeclineCode, type HttpReply } from '@gateway/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerA from '../index.ts';
import { Options } from '../options.ts';
import { answered, charge, now, options, reply, stored, submission, submit } from './helpers.ts';

const error = (status: number, code: string, more: Readonly<Record<string, unknown>> = {}): HttpReply =>
  reply(status, { error: { code, text: 'for people', ...more } });
const complete = (answer: HttpReply) =>
  answered(answer, (provider) => providerA.complete!(stored, { kind: 'return' }, provider));
const fetchStatus = (answer: HttpReply, payment = stored) =>
  answered(answer, (provider) => providerA.fetchStatus!(payment, provider));
const refundOf = { reference: 'GW-10042-1-R1', money: { amount: '10', currency: 'EUR' }, note: null };
const refund = (answer: HttpReply) => answered(answer, (provider) => providerA.refund!(stored, refundOf, provider));

describe('what A answers to a charge', () => {
  for (const [why, decline] of Object.entries({
    REFUSED: '05',
    FUNDS: '51',
    EXPIRED_CARD: '54',
    NOT_PERMITTED: '57',
    LIMIT: '61',
    BAD_CVC: '05',
    AUTH3DS: '05',
    ABANDONED: '05',
  } satisfies Record<string, DeclineCode>)) {
    it(`reads NO for ${why} as decline ${decline}`, async () => {
      const outcome = await submit(reply(200, charge('NO', { why, whyText: 'for people' })));
      expect(outcome).to.deep.equal({
        outcome: 'failed',
        providerReference: 'A-7H2K9Q',
        decline,
        declineText: 'for people',
        ...(why === 'AUTH3DS' ? { threeDsResult: 'N' } : {}),
      });
    });
  }

  it('keeps a decline word that nobody knows, and counts it', async () => {
    const outcome = await submit(reply(200, charge('NO', { why: 'MOON' })));
    expect(outcome).to.include({ decline: '05', declineText: 'MOON', unknownWord: 'MOON' });
    expect(await submit(reply(200, charge('NO')))).to.include({ outcome: 'failed', decline: '05' });
  });

  it('reads HOLD as authorised, a strange state as unknown', async () => {
    expect(await submit(reply(200, charge('HOLD')))).to.include({ outcome: 'pending', authorised: true });
    expect(await submit(reply(200, charge('MAYBE')))).to.include({ outcome: 'unknown', unknownWord: 'MAYBE' });
  });

  for (const [name, answer] of [
    ['no JSON', reply(200, '<html>')],
    ['an empty body', reply(200, '')],
    ['no txn', reply(200, charge('OK', { txn: undefined }))],
    ['an empty txn', reply(200, charge('OK', { txn: '' }))],
    ['no state', reply(200, charge('OK', { state: undefined }))],
    ['another ref', reply(200, charge('OK', { ref: 'GW-10042-2' }))],
    ['another amount', reply(200, charge('OK', { sum: { minor: 2591, cur: 'EUR' } }))],
    ['another currency', reply(200, charge('OK', { sum: { minor: 2590, cur: 'USD' } }))],
    ['an amount that is text', reply(200, charge('OK', { sum: { minor: '2590', cur: 'EUR' } }))],
    ['a challenge without an address', reply(200, charge('STEP_UP'))],
    ['a challenge at no address of the web', reply(200, charge('STEP_UP', { stepUp: { url: 'javascript:1' } }))],
    ['409 IN_PROGRESS', error(409, 'IN_PROGRESS')],
    ['409 REF_REUSED', error(409, 'REF_REUSED')],
    ['500 without a word', error(500, 'INTERNAL')],
    ['500 that says charged', error(500, 'INTERNAL', { charged: 'yes' })],
    ['500 with charged as a boolean', error(500, 'INTERNAL', { charged: false })],
    ['400 of somebody else', reply(400, '<html>')],
    ['401 of somebody else', reply(401, '')],
    ['403', error(403, 'NO_KEY')],
    ['a redirect', reply(302, '', [['Location', 'https://elsewhere.example']])],
  ] as const) {
    it(`takes ${name} as unknown, without a decline`, async () => {
      const outcome = await submit(answer);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }

  for (const [name, answer] of [
    ['400 UNREADABLE', error(400, 'UNREADABLE')],
    ['401 NO_KEY', error(401, 'NO_KEY')],
    ['422 INVALID', error(422, 'INVALID', { field: 'card.cvc' })],
    ['429', reply(429, '')],
    ['500 that says nothing was charged', error(500, 'INTERNAL', { charged: 'no' })],
    ['503 that says nothing was charged', error(503, 'BUSY', { charged: 'no' })],
  ] as const) {
    it(`takes ${name} as failed, nothing charged, without a decline`, async () => {
      const outcome = await submit(answer);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true }).and.not.to.have.property('decline');
      expect('misconfigured' in outcome).to.equal(name === '401 NO_KEY');
    });
  }

  it('sends nothing for an amount of more than 15 digits in minor units', async () => {
    const money = { amount: '10000000000000', currency: 'EUR' };
    const outcome = await answered(reply(500), async (provider) => {
      const result = await providerA.submit({ ...submission, money }, provider);
      expect((provider.http as { requests?: unknown[] }).requests).to.deep.equal([]);
      return result;
    });
    expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
  });

  it('is bound to what 15 digits of minor units express', () => {
    const fits = (amount: unknown, unit: unknown): boolean =>
      v.safeParse(providerA.manifest.bounds!, { amount, unit }).success;
    expect([
      fits(9999999999999.99, 'EUR'),
      fits('25.9', 'EUR'),
      fits(0, 'JPY'),
      fits(undefined, undefined),
    ]).to.deep.equal([true, true, true, true]);
    expect([fits(1e13, 'EUR'), fits('1000000000000', 'KWD'), fits(1e15, 'JPY')]).to.deep.equal([false, false, false]);
    const { issues } = v.safeParse(providerA.manifest.bounds!, { amount: 1e13, unit: 'EUR', number: '4111' });
    expect([v.getDotPath(issues![0]), issues![0].input]).to.deep.equal(['amount', 1e13]);
    expect(JSON.stringify(issues)).not.to.contain('4111');
  });
});

describe('what A answers to complete', () => {
  it('shows the stored action again while the challenge is open', async () => {
    const action = { type: 'redirect', method: 'GET', url: 'https://a.example/c', transactionId: 'A-1' } as const;
    const open = error(409, 'STEP_UP_OPEN');
    const outcome = await answered(open, (provider) =>
      providerA.complete!({ ...stored, action }, { kind: 'return' }, provider),
    );
    expect(outcome).to.deep.equal({ outcome: 'pending', providerReference: 'A-7H2K9Q', action });
  });

  it('leaves a charge under way unknown when A asks to wait, or another call is in progress', async () => {
    expect((await complete(reply(429, ''))).outcome).to.equal('unknown');
    expect((await complete(error(409, 'IN_PROGRESS'))).outcome).to.equal('unknown');
  });

  it('takes the answer of the call, with a failed challenge as result N', async () => {
    expect(await complete(reply(200, charge('OK')))).to.include({ outcome: 'succeeded' });
    expect(await complete(reply(200, charge('NO', { why: 'AUTH3DS' })))).to.include({
      decline: '05',
      threeDsResult: 'N',
    });
  });
});

describe('what A answers to a status question', () => {
  for (const [state, status, identity] of [
    ['OK', 'succeeded', 'CAPTURE:true'],
    ['HOLD', 'authorised', 'AUTH:true'],
    ['NO', 'failed', 'AUTH:false'],
    ['VOID', 'cancelled', 'VOID:true'],
    ['EXPIRED', 'expired', 'EXPIRE:true'],
    ['WAIT', 'pending', 'WAIT'],
    ['STEP_UP', 'pending', 'STEP_UP'],
    ['LOST', 'unknown', 'LOST'],
    ['CAPTURE:true', 'unknown', 'CAPTURE:true'],
    ['constructor', 'unknown', 'constructor'],
  ] as const) {
    it(`tells ${state} as payment ${status}`, async () => {
      const report = await fetchStatus(reply(200, charge(state)));
      if (report.news !== 'events') throw new Error(report.news);
      const [event] = report.events;
      expect(report.events).to.have.length(1);
      expect(event).to.include({ kind: 'payment', word: state, dedupeKey: `A-7H2K9Q:${identity}` });
      expect(providerA.mapStatus(event!)).to.equal(status);
      expect('decline' in event!).to.equal(state === 'NO');
    });
  }

  it('shows the way to the challenge, and that it waits for complete', async () => {
    const url = 'https://api.provider-a.example/v1/challenge/A-7H2K9Q';
    const eventFor = async (answered: boolean) => {
      const report = await fetchStatus(reply(200, charge('STEP_UP', { stepUp: { url, answered }, disputed: false })));
      return report.news === 'events' ? report.events[0]! : undefined;
    };
    expect((await eventFor(false))?.action).to.deep.equal({
      type: 'redirect',
      method: 'GET',
      url,
      transactionId: 'A-7H2K9Q',
    });
    expect(await eventFor(false)).not.to.have.property('awaitsCompletion');
    expect(await eventFor(true)).to.include({ awaitsCompletion: true });
  });

  const noSuch = error(404, 'NO_SUCH');
  for (const [name, answer, endedMsAgo, news] of [
    ['10 s after the end', noSuch, 10_000, 'nothing_charged'],
    ['9.999 s after the end', noSuch, 9_999, 'none'],
    ['while it may still run', noSuch, null, 'none'],
    ['by somebody else', reply(404, '<html>'), 60_000, 'none'],
  ] as const) {
    it(`takes 404 ${name} as ${news}`, async () => {
      const endedAt = endedMsAgo === null ? null : new Date(now.getTime() - endedMsAgo);
      expect((await fetchStatus(answer, { ...stored, endedAt })).news).to.equal(news);
    });
  }

  for (const [name, answer] of [
    ['500', error(500, 'INTERNAL', { charged: 'no' })],
    ['401', error(401, 'NO_KEY')],
    ['429', reply(429, '')],
    ['another ref', reply(200, charge('OK', { ref: 'GW-1-1' }))],
    ['another sum', reply(200, charge('OK', { sum: { minor: 1, cur: 'EUR' } }))],
    ['a returned sum that is none', reply(200, charge('OK', { returned: 5 }))],
    ['a page', reply(200, '<html>')],
  ] as const) {
    it(`takes ${name} as no news`, async () => {
      expect((await fetchStatus(answer)).news).to.equal('none');
    });
  }
});

describe('what A answers to a refund', () => {
  const answer = (state: string, more: Readonly<Record<string, unknown>> = {}): HttpReply =>
    reply(200, {
      refund: {
        id: 'AR-1',
        txn: 'A-7H2K9Q',
        refundRef: 'GW-10042-1-R1',
        state,
        sum: { minor: 1000, cur: 'EUR' },
        ...more,
      },
    });

  for (const [name, given, expected] of [
    ['queued', answer('queued'), { outcome: 'pending', providerReference: 'AR-1' }],
    ['done', answer('done'), { outcome: 'succeeded', providerReference: 'AR-1' }],
    ['failed', answer('failed'), { outcome: 'failed', nothingCharged: true, providerReference: 'AR-1' }],
    ['409 NOT_CAPTURED', error(409, 'NOT_CAPTURED'), { outcome: 'failed', nothingCharged: true }],
    ['422 OVER_REFUND', error(422, 'OVER_REFUND'), { outcome: 'failed', nothingCharged: true }],
    ['422 INVALID', error(422, 'INVALID'), { outcome: 'failed', nothingCharged: true }],
    ['429', reply(429, ''), { outcome: 'failed', nothingCharged: true }],
    ['409 IN_PROGRESS', error(409, 'IN_PROGRESS'), { outcome: 'unknown' }],
    ['404', error(404, 'NO_SUCH'), { outcome: 'unknown' }],
    ['500', error(500, 'INTERNAL'), { outcome: 'unknown' }],
    ['another state', answer('lost'), { outcome: 'unknown', unknownWord: 'lost' }],
    ['another refund', answer('done', { refundRef: 'GW-10042-1-R2' }), { outcome: 'unknown' }],
    ['another sum', answer('done', { sum: { minor: 1001, cur: 'EUR' } }), { outcome: 'unknown' }],
    ['no JSON', reply(200, 'ok'), { outcome: 'unknown' }],
  ] as const) {
    it(`reads ${name} as ${expected.outcome}`, async () => {
      const outcome = await refund(given);
      expect(outcome).to.include(expected);
      expect('nothingCharged' in outcome).to.equal('nothingCharged' in expected);
    });
  }
});

describe('the options of A', () => {
  it('takes http only for a loopback address', () => {
    const accepts = (baseUrl: string): boolean => v.safeParse(Options, { ...options, baseUrl }).success;
    expect([accepts('http://127.0.0.1:9'), accepts('https://a.example')]).to.deep.equal([true, true]);
    expect([accepts('http://a.example'), accepts('https://a.example/'), accepts('a')]).to.deep.equal([
      false,
      false,
      false,
    ]);
  });

  for (const [name, value] of [
    ['account', 'Gateway EU'],
    ['account', 'x'.repeat(33)],
    ['apiKey', 'too short'],
    ['itemKeys', []],
    ['itemKeys', ['3c'.repeat(31)]],
    ['itemKeys', Array.from({ length: 4 }, () => '3c'.repeat(32))],
    ['returnKeys', ['short']],
    ['sealKeys', ['5b0e77a1c94d']],
    ['sealKeys', ['ask_']],
    ['refundKeys', ['']],
    ['extra', 1],
  ] as const) {
    it(`refuses ${name} ${JSON.stringify(value).slice(0, 30)}`, () => {
      const result = v.safeParse(Options, { ...options, [name]: value });
      expect(result.issues && v.getDotPath(result.issues[0])).to.match(new RegExp(`^${name}`));
    });
  }
});
