import type { HttpReply, StoredPayment, Submission } from '@gateway/contract';
import { reply } from '@gateway/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerD from '../index.ts';
import { answer, answered, error, pack, paid, signed, stored, submission, triple, type Data } from './helpers.ts';

const page = 'https://pay.provider-d.example/d/page/9';
const open = { D_Code: '8000', D_Page: encodeURIComponent(page), D_Until: '2026-03-01T10%3A30%3A00Z' };

const submit = async (given: HttpReply, payment: Submission = submission) =>
  (await answered(given, (provider) => providerD.submit(payment, provider))).result;
const fetchStatus = async (given: HttpReply, payment: StoredPayment = stored) =>
  (await answered(given, (provider) => providerD.fetchStatus!(payment, provider))).result;
const refundOf = { reference: 'GW-10042-1-R1', money: { amount: '5', currency: 'EUR' }, note: null };
const refund = async (given: HttpReply) =>
  (await answered(given, (provider) => providerD.refund!(stored, refundOf, provider))).result;

/** What no answer may be, to any call: members of it, or its form. */
const unreadable: readonly (readonly [what: string, reply: HttpReply])[] = [
  ['no JSON', reply(200, '<html>')],
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
  ['500 without a word', reply(500, '{}')],
  ['500 with a word of 503', error(500, 'closed')],
  ['503 with a word of 500', error(503, 'not_started')],
  ['400 of somebody else', reply(400, '<html>')],
  ['400 with another word', error(400, 'bad_signature')],
  ['401 without a word', reply(401)],
  ['403', error(403, 'bad_shop')],
  ['409', error(409, 'order_taken')],
  ['422 with another word', error(422, 'bad_member')],
  ['502', reply(502, '<h1>Bad gateway</h1>')],
];
const otherMoney: readonly (readonly [what: string, changes: Data])[] = [
  ['another sum', { D_Sum: '2591' }],
  ['another currency', { D_Cur: '840' }],
];

describe('an order', () => {
  for (const [code, outcome] of [
    ['0000', { outcome: 'succeeded' }],
    ['0099', { outcome: 'succeeded' }],
    ['0116', { outcome: 'failed', decline: '51' }],
    ['0399', { outcome: 'failed', decline: '05', declineText: '0399', unknownWord: '0399' }],
    ['9912', { outcome: 'failed', decline: '05' }],
    ['0184', { outcome: 'failed', decline: '05', threeDsResult: 'N' }],
    ['9915', { outcome: 'pending' }],
    ['9970', { outcome: 'pending' }],
    ['9997', { outcome: 'pending' }],
    ['0400', { outcome: 'pending', unknownWord: '0:0400' }],
    ['8001', { outcome: 'pending', unknownWord: '0:8001' }],
  ] as const) {
    it(`that stands at ${code} is ${outcome.outcome}`, async () => {
      expect(await submit(answer({ D_Code: code }))).to.deep.equal({
        providerReference: '90071992547409931001',
        ...outcome,
      });
    });
  }

  it('keeps D’s text of a decline, and the issuer’s words of a failed 3D Secure', async () => {
    expect(await submit(answer({ D_Code: '0121', D_Text: 'limit' }))).to.include({
      decline: '61',
      declineText: 'limit',
    });
    expect(await submit(answer({ D_Code: '0184', D_Secure: '3', D_Text: 'wrong%20code' }))).to.include({
      threeDsResult: 'N',
      acsResponse: 'wrong code',
    });
  });

  it('sends the payer to the page', async () => {
    const action = { type: 'redirect', method: 'GET', url: page };
    const providerReference = '90071992547409931001';
    expect(await submit(answer(open))).to.deep.equal({ outcome: 'pending', providerReference, action });
    const local = 'http://127.0.0.1:7/d/page/9';
    expect(await submit(answer({ ...open, D_Page: encodeURIComponent(local) }))).to.deep.include({
      action: { ...action, url: local },
    });
  });

  for (const D_Page of [undefined, '', 'page', 'javascript%3Aalert(1)', 'http%3A%2F%2Fpay.provider-d.example%2F9']) {
    it(`is unknown where its page is ${D_Page}`, async () => {
      expect((await submit(answer({ ...open, D_Page }))).outcome).to.equal('unknown');
    });
  }

  it('is no payment by another operation', async () => {
    for (const [D_Op, D_Code] of ['3 0000', '7 0000', '3 0190', '9 8000', '9 0000'].map((pair) => pair.split(' '))) {
      expect(await submit(answer({ D_Op, D_Code }))).to.include({
        outcome: 'pending',
        unknownWord: `${D_Op}:${D_Code}`,
      });
    }
  });

  it('may have zeros before its sum', async () => {
    expect((await submit(answer({ D_Sum: '0002590' }))).outcome).to.equal('succeeded');
  });

  for (const [what, given] of [
    ...unreadable,
    ...otherMoney.map(([what, changes]) => [what, answer(changes)] as const),
  ]) {
    it(`is unknown after ${what}`, async () => {
      const outcome = await submit(given);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }

  for (const [status, word] of [
    [400, 'bad_member'],
    [401, 'bad_signature'],
    [401, 'bad_shop'],
    [429, 'slow_down'],
    [429, ''],
    [500, 'not_started'],
    [503, 'closed'],
  ] as const) {
    it(`charged nothing after ${status} ${word}`, async () => {
      const outcome = await submit(error(status, word));
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true }).and.not.have.property('decline');
      expect('misconfigured' in outcome).to.equal(status === 401);
    });
  }

  it('is declined where the shop may not take it', async () => {
    expect(await submit(error(422, 'not_payable'))).to.deep.equal({
      outcome: 'failed',
      decline: '57',
      declineText: 'for people',
    });
  });

  it('holds what the merchant gave, and an address only where there is one', async () => {
    const send = async (payment: Submission) => {
      const { requests } = await answered(answer(open), (provider) => providerD.submit(payment, provider));
      const form = new URLSearchParams(String(requests[0]!.body));
      return Buffer.from(form.get('d_data')!, 'base64').toString();
    };
    expect(await send(submission)).not.to.contain('D_Ip');
    const payer = { ...submission.payer, name: '', ipAddress: '' };
    expect(await send({ ...submission, payer }))
      .to.contain('"D_Name":""')
      .and.contain('"D_Ip":""');
    expect(await send({ ...submission, money: { amount: '0', currency: 'EUR' } })).to.contain('"D_Sum":"0"');
  });

  for (const money of [
    { amount: '10000000000000', currency: 'EUR' },
    { amount: '25.901', currency: 'EUR' },
    { amount: '25', currency: 'RUB' },
  ]) {
    it(`of ${money.amount} ${money.currency} never leaves`, async () => {
      const { result, requests } = await answered(answer(), (provider) =>
        providerD.submit({ ...submission, money }, provider),
      );
      expect(result).to.include({ outcome: 'failed', nothingCharged: true });
      expect(requests).to.deep.equal([]);
    });
  }
});

describe('a status', () => {
  const eventsOf = async (changes: Data) => {
    const report = await fetchStatus(answer(changes));
    return report.news === 'events' ? report.events : [];
  };
  const told = async (changes: Data) =>
    (await eventsOf(changes)).map(
      (event) => `${event.kind} ${event.word} ${providerD.mapStatus(event)} ${event.amount}`,
    );

  for (const [word, status] of [
    ['0:0000', 'succeeded'],
    ['0:0190', 'failed'],
    ['0:9912', 'failed'],
    ['0:9915', 'cancelled'],
    ['0:9970', 'expired'],
    ['0:9997', 'pending'],
    ['9:0400', 'cancelled'],
    ['0:8888', 'unknown'],
  ] as const) {
    it(`tells ${word} as a callback does: ${status}`, async () => {
      const [D_Op, D_Code] = word.split(':');
      expect(await told({ D_Op, D_Code, D_Back: '0', D_Case: 'none' })).to.deep.equal([
        `payment ${word} ${status} 25.90`,
      ]);
      const [event] = await eventsOf({ D_Op, D_Code });
      expect(event).to.include({ providerReference: '90071992547409931001', reference: 'GW-10042-1' });
      expect(event!.dedupeKey).to.equal(`90071992547409931001:${word}`);
    });
  }

  it('shows the page while it is open', async () => {
    const [event, ...others] = await eventsOf(open);
    expect(others).to.deep.equal([]);
    expect(event).to.deep.include({ word: '0:8000', action: { type: 'redirect', method: 'GET', url: page } });
    expect(await told(open)).to.deep.equal(['payment 0:8000 pending 25.90']);
    expect(await fetchStatus(answer({ D_Code: '8000' }))).to.include({ news: 'none' });
  });

  it('carries the decline', async () => {
    const [event] = await eventsOf({ D_Code: '0116', D_Text: 'no%20money' });
    expect(event).to.include({ decline: '51', declineText: 'no money' });
    expect((await eventsOf({ D_Code: '0184', D_Secure: '3' }))[0]).to.include({ decline: '05', threeDsResult: 'N' });
  });

  for (const [word, status] of [
    ['open', 'opened'],
    ['won', 'won'],
    ['lost', 'lost'],
    ['back', 'reversed'],
    ['moon', 'unknown'],
  ] as const) {
    it(`tells of a case that is ${word}: ${status}`, async () => {
      expect(await told({ D_Back: '0', D_Case: word })).to.deep.equal([
        'payment 0:0000 succeeded 25.90',
        `chargeback ${word} ${status} 25.90`,
      ]);
      const [, event] = await eventsOf({ D_Case: word });
      expect(event).to.include({
        providerReference: '90071992547409931001',
        dedupeKey: `90071992547409931001:D_Case:${word}`,
      });
    });
  }

  it('tells what was given back so far', async () => {
    const [, event] = await eventsOf({ D_Back: '0500', D_Case: 'none' });
    expect(event).to.include({
      kind: 'refund',
      word: 'D_Back',
      amount: '5.00',
      currency: 'EUR',
      cumulative: true,
      dedupeKey: '90071992547409931001:D_Back:5.00',
    });
    expect(await told({ D_Back: '000', D_Case: 'none' })).to.have.length(1);
    expect(await told({})).to.have.length(1);
  });

  for (const [what, given] of [
    ...unreadable,
    ...otherMoney.map(([what, changes]) => [what, answer(changes)] as const),
    ['a sum given back that is no sum', answer({ D_Back: '-1' })],
    ['a refund', answer({ D_Op: '3', D_Code: '0900' })],
    ['429', error(429, 'slow_down')],
    ['500', error(500, 'not_started')],
    ['404 of somebody else', reply(404, 'not found')],
  ] as const) {
    it(`has no news after ${what}`, async () => {
      expect((await fetchStatus(given)).news).to.equal('none');
    });
  }

  it('is final where D never had the order, once the submission has ended', async () => {
    const none = error(404, 'no_such_order');
    expect(await fetchStatus(none)).to.deep.equal({ news: 'nothing_charged' });
    expect((await fetchStatus(none, { ...stored, endedAt: null })).news).to.equal('none');
  });
});

describe('a refund', () => {
  const given = { D_Op: '3', D_Id: '20', D_Sum: '500' };

  for (const [code, outcome] of [
    ['0900', { outcome: 'succeeded' }],
    ['9997', { outcome: 'pending' }],
    ['8888', { outcome: 'unknown', unknownWord: '3:8888' }],
    ['0000', { outcome: 'unknown', unknownWord: '3:0000' }],
  ] as const) {
    it(`answered ${code} is ${outcome.outcome}`, async () => {
      expect(await refund(answer({ ...given, D_Code: code }))).to.deep.equal({ providerReference: '20', ...outcome });
    });
  }

  for (const code of ['0100', '0190', '0399', '0901']) {
    it(`answered ${code} gave nothing back`, async () => {
      const outcome = await refund(answer({ ...given, D_Code: code }));
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true, providerReference: '20' });
      expect(outcome).not.to.have.property('decline');
    });
  }

  for (const [status, word] of [
    [422, 'too_much'],
    [422, 'not_payable'],
    [400, 'bad_member'],
    [401, 'bad_shop'],
    [429, 'slow_down'],
    [500, 'not_started'],
    [503, 'closed'],
  ] as const) {
    it(`gave nothing back after ${status} ${word}`, async () => {
      const outcome = await refund(error(status, word));
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true }).and.not.have.property('decline');
    });
  }

  for (const [what, answered_] of [
    ...unreadable,
    ['another sum', answer({ ...given, D_Code: '0900', D_Sum: '501' })],
    ['another currency', answer({ ...given, D_Code: '0900', D_Cur: '840' })],
    ['a payment', answer({ ...given, D_Op: '0', D_Code: '0000' })],
    ['404', error(404, 'no_such_order')],
  ] as const) {
    it(`is unknown after ${what}`, async () => {
      expect((await refund(answered_)).outcome).to.equal('unknown');
    });
  }
});
