import type { AdapterContext, DeclineCode } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerB from '../index.ts';
import type { Options } from '../options.ts';
import { harness, answer, keys, nothing, problem, sent } from './messages.ts';

const { submit, recordCall, submission } = harness;

describe('submit at B', () => {
  it('keeps b_txn as text', async () => {
    const b_txn = '00098765432109876543';
    expect(await submit(answer('taken', { b_txn }))).to.deep.equal({ outcome: 'pending', providerReference: b_txn });
    expect(await submit(answer('code', { b_txn }))).to.deep.equal({
      outcome: 'pending',
      providerReference: b_txn,
      action: { type: 'confirm', paymentId: b_txn },
    });
  });

  for (const [code, decline] of Object.entries({
    '201': '05',
    '205': '51',
    '208': '54',
    '214': '57',
    '221': '61',
    '230': '05',
    '231': '05',
    '301': '05',
  } satisfies Record<string, DeclineCode>)) {
    it(`reads declined ${code} as ${decline}`, async () => {
      expect(await submit(answer('declined', { code, note: 'for people' }))).to.deep.equal({
        outcome: 'failed',
        providerReference: '8812003',
        decline,
        declineText: 'for people',
      });
    });
  }

  it('keeps an unknown decline code and counts it', async () => {
    expect(await submit(answer('declined', { code: '299' }))).to.include({
      decline: '05',
      declineText: '299',
      unknownStatus: '299',
    });
    expect(await submit(answer('declined'))).to.include({ outcome: 'failed', decline: '05' });
  });

  it('treats the answer to a repetition like the first answer', async () => {
    expect(await submit(answer('taken', { repeat: '1' }))).to.deep.equal(await submit(answer('taken')));
  });

  for (const [what, body] of [
    ['spaces and line feeds around pairs', ' kind=taken\r\n & b_txn=8812003 &\ngw_ref=GW-10042-1&end=1 \r\n'],
    ['one line', 'kind=taken&b_txn=8812003&gw_ref=GW-10042-1&end=1'],
    ['encoded names and values', '%6bind=t%61ken&b_txn=8812003&gw_ref=GW%2D10042-1&note=%C3%A0+vous=1&end=1'],
  ] as const) {
    it(`reads ${what}`, async () => {
      expect(await submit(reply(200, body))).to.deep.equal({ outcome: 'pending', providerReference: '8812003' });
    });
  }

  for (const [what, given] of [
    ['no end', reply(200, 'kind=taken\n&b_txn=8812003\n&gw_ref=GW-10042-1\n')],
    ['an end that is cut', reply(200, 'kind=taken\n&b_txn=8812003\n&gw_ref=GW-10042-1\n&end=')],
    ['another end', reply(200, 'kind=taken\n&b_txn=8812003\n&gw_ref=GW-10042-1\n&end=10\n')],
    ['an end in the middle', reply(200, 'kind=taken\n&b_txn=8812003\n&end=1\n&gw_ref=GW-10042-1\n')],
    ['a pair after the end', reply(200, 'kind=taken\n&b_txn=8812003\n&gw_ref=GW-10042-1\n&end=1\n&repeat=1')],
    ['a tab after a pair', reply(200, 'kind=taken\t&b_txn=8812003&gw_ref=GW-10042-1&end=1')],
    ['a tab before a pair', reply(200, 'kind=taken&\tb_txn=8812003&gw_ref=GW-10042-1&end=1')],
    ['a name twice', reply(200, 'kind=taken&kind=taken&b_txn=8812003&gw_ref=GW-10042-1&end=1')],
    ['the end twice', reply(200, 'kind=taken&b_txn=8812003&gw_ref=GW-10042-1&end=1&end=1')],
    ['a broken escape', reply(200, 'kind=taken&b_txn=8812003&gw_ref=GW-10042-1&note=%zz&end=1')],
    [
      'bytes that are not UTF-8',
      reply(200, Buffer.from('kind=taken&b_txn=1&gw_ref=GW-10042-1&n=\xff&end=1', 'latin1')),
    ],
    ['no kind', reply(200, 'b_txn=8812003&gw_ref=GW-10042-1&end=1')],
    ['another kind', answer('status')],
    ['no b_txn', answer('taken', { b_txn: undefined })],
    ['an empty b_txn', answer('taken', { b_txn: '' })],
    ['a b_txn of 21 digits', answer('taken', { b_txn: '1'.repeat(21) })],
    ['a decline without b_txn', answer('declined', { b_txn: undefined, code: '205' })],
    ['no gw_ref', answer('taken', { gw_ref: undefined })],
    ['another gw_ref', answer('declined', { gw_ref: 'GW-10042-2', code: '205' })],
    ['a problem about another gw_ref', problem('101', { gw_ref: 'GW-10042-2' })],
    ['problem 120', problem('120')],
    ['problem 121', problem('121')],
    ['problem 130, which no sale has', problem('130')],
    ['an unknown problem', problem('999')],
    ['a problem without code', problem('', { code: undefined })],
    ['a good answer under 201', { ...answer('taken'), status: 201 }],
    ['a good answer under 302', { ...answer('taken'), status: 302 }],
    ['a 409', reply(409)],
    ['a 500 that promises nothing was charged', { ...problem('101'), status: 500 }],
    ['a 503', reply(503)],
  ] as const) {
    it(`treats ${what} as unknown`, async () => {
      const outcome = await submit(given);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).to.not.have.any.keys('nothingCharged', 'decline', 'action');
    });
  }

  it('counts an unknown kind', async () => {
    expect(await submit(answer('maybe'))).to.deep.equal({
      outcome: 'unknown',
      providerReference: '8812003',
      unknownStatus: 'maybe',
    });
  });

  for (const [what, given, more] of [
    ['problem 101', problem('101', { field: 'zip' }), { reason: 'B answered problem 101 (zip)' }],
    ['problem 102', problem('102'), { misconfigured: true }],
    ['problem 103', problem('103'), { misconfigured: true }],
    ['problem 104', problem('104'), {}],
    ['a 400', reply(400), {}],
    ['a 401', reply(401), { misconfigured: true }],
    ['a 403', reply(403), { misconfigured: true }],
    ['a 404', reply(404), {}],
    ['a 422', reply(422), {}],
    ['a 429', reply(429, '', [['Retry-After', '60']]), {}],
  ] as const) {
    it(`treats ${what} as failed, nothing charged`, async () => {
      const outcome = await submit(given);
      expect(outcome)
        .to.include({ ...nothing, ...more })
        .and.not.have.property('decline');
      expect(outcome).to.not.have.property('misconfigured', 'misconfigured' in more ? undefined : true);
    });
  }
});

describe('the request of a sale at B', () => {
  it('leaves out ip if there is none, and sends empty values', async () => {
    const fields = await sent((ctx) => {
      const payer = { ...submission.payer, postalCode: '', name: 'Zoë & Søn=é' };
      return providerB.submit({ ...submission, payer, browserInfo: { userAgent: 'not sent' } }, ctx);
    });
    expect([...fields.keys()].join(' ')).to.equal(
      'gw_ref total cur pan exp_month exp_year cvv holder mail phone addr city region zip land hook control',
    );
    expect([fields.get('zip'), fields.get('holder')]).to.deep.equal(['', 'Zoë & Søn=é']);
  });

  for (const [amount, currency, total] of [
    ['0', 'EUR', '0.00'],
    ['0.07', 'EUR', '0.07'],
    ['90071992547409931.5', 'EUR', '90071992547409931.50'],
    ['25.9', 'KWD', '25.900'],
    ['25', 'JPY', '25'],
  ] as const) {
    it(`writes ${amount} ${currency} as ${total}`, async () => {
      const fields = await sent((ctx) => providerB.submit({ ...submission, money: { amount, currency } }, ctx));
      expect([fields.get('total'), fields.get('cur')]).to.deep.equal([total, currency]);
    });
  }

  it('signs with the first key', async () => {
    const controlUnder = async (controlKeys: readonly string[]) => {
      const call = (ctx: AdapterContext<Options>) => providerB.submit(submission, ctx);
      const { requests } = await recordCall(reply(500), call, { options: { controlKeys: [...controlKeys] } });
      return new URLSearchParams(String(requests[0]?.body)).get('control');
    };
    const [one, other] = [await controlUnder(keys), await controlUnder([keys[1], keys[0]])];
    expect(one).to.match(/^[0-9a-f]{40}$/);
    expect(other)
      .to.match(/^[0-9a-f]{40}$/)
      .and.not.equal(one);
  });
});

describe('a refusal of a field', () => {
  for (const [name, field] of [
    ['holder', 'name'],
    ['cvv', 'cvv'],
    ['zip', 'postalCode'],
    ['hook', 'body'],
  ] as const) {
    it(`names ${field} for ${name}`, async () => {
      const refusal = reply(200, `kind=problem&code=101&field=${name}&end=1`);
      expect(await harness.submit(refusal)).to.include({ nothingCharged: true, refusedField: field });
    });
  }
});
