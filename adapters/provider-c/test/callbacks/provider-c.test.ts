import { defined } from '@paywright/contract';
import type { CoreSays } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { deliver, encoded, paid, previousSalt, reported, withHash } from '../messages.ts';

const outcomes = ['accepted', 'duplicate', 'unknown_reference', 'ignored'] as const satisfies readonly CoreSays[];

describe('callback providerC, the server form', () => {
  for (const [state, kind, status] of [
    ['success', 'payment', 'succeeded'],
    ['failure', 'payment', 'failed'],
    ['pending', 'payment', 'pending'],
    ['usercancel', 'payment', 'cancelled'],
    ['lapsed', 'payment', 'expired'],
    ['refunded', 'refund', 'succeeded'],
    ['refundwait', 'refund', 'pending'],
    ['refundfail', 'refund', 'failed'],
    ['disputed', 'chargeback', 'opened'],
    ['disputewon', 'chargeback', 'won'],
    ['disputelost', 'chargeback', 'lost'],
    ['disputeback', 'chargeback', 'reversed'],
    ['settled', 'payment', 'unknown'],
    ['Success', 'payment', 'unknown'],
    ['REFUNDED', 'payment', 'unknown'],
    ['challenge', 'payment', 'unknown'],
    ['no_such_payment', 'payment', 'unknown'],
    ['open', 'payment', 'unknown'],
    ['c_refunded', 'payment', 'unknown'],
    ['toString', 'payment', 'unknown'],
  ] as const) {
    it(`reads ${state} as ${kind} ${status}`, async () => {
      const c_extra = 'XT-1';
      const { events, acknowledgement } = await deliver(
        'providerC',
        reported({ c_state: state, c_extra, c_total: '5' }),
      );
      expect(events).to.have.length(1);
      const { facts: _, ...event } = events[0]!;
      expect(event).to.deep.equal({
        kind,
        status,
        providerStatus: state,
        reference: 'GW-10042-1',
        providerReference: '700000000000000181',
        amount: '5.00',
        currency: 'EUR',
        dedupeKey: kind === 'payment' ? `GW-10042-1:${state}` : `XT-1:${state}`,
        ...(kind === 'payment' ? {} : { subReference: 'XT-1' }),
      });
      expect(acknowledgement).to.include({ status: 200, body: 'RECEIVED 700000000000000181' });
    });
  }

  it('takes no decline from an unsigned reason', async () => {
    const { events } = await deliver('providerC', reported({ c_state: 'failure', c_why: 'no_funds', c_auth: 'N' }));
    expect(events[0]).to.include({ status: 'failed' }).and.not.have.any.keys('decline', 'threeDsResult');
  });

  it('accepts each salt of the account that it names', async () => {
    expect((await deliver('providerC', encoded(withHash(paid, previousSalt)))).genuine).to.equal(true);
    const yen = { ...paid, c_key: 'GWDEMO02', c_total: '2590' };
    expect((await deliver('providerC', encoded(withHash(yen)))).genuine).to.equal('invalid_signature');
    const { events } = await deliver('providerC', encoded(withHash(yen, 'c-salt-open-jpy-0c5e19aa')));
    expect(events[0]).to.include({ amount: '2590', currency: 'JPY' });
  });

  it('reads any order and any valid escaping, and verifies the decoded values', async () => {
    const shuffled = Object.fromEntries(Object.entries(withHash(paid)).toReversed());
    const spelled = encoded(shuffled).replace('25.90', '%32%35%2e90').replace('Zo%C3%AB+M', 'Zo%c3%ab%20%4D');
    expect((await deliver('providerC', `&${spelled}&&shop=1&shop=2`)).genuine).to.equal(true);
  });

  it('treats absent texts as empty, and trims no text', async () => {
    const { c_name: _, c_mail: __, x1: ___, ...bare } = paid;
    expect((await deliver('providerC', encoded(withHash(bare)))).genuine).to.equal(true);
    expect((await deliver('providerC', `${encoded(withHash(bare))}&c_name=&c_extra=`)).genuine).to.equal(true);
    expect((await deliver('providerC', `${encoded(withHash(bare))}&c_name=+`)).genuine).to.equal('invalid_signature');
    expect((await deliver('providerC', reported({ c_name: ' Zoë ' }))).genuine).to.equal(true);
  });

  for (const [total, amount] of [
    ['25.9', '25.90'],
    ['25', '25.00'],
    ['25.900', '25.90'],
    ['25.9000000000', '25.90'],
    ['0', '0.00'],
    ['007.5', '7.50'],
    ['999999999999999.99', '999999999999999.99'],
  ] as const) {
    it(`reads the total ${total} as ${amount}`, async () => {
      const { events } = await deliver('providerC', reported({ c_total: total }));
      expect(events[0]).to.include({ amount });
    });
  }

  for (const [name, body, verdict] of [
    ['no hash', encoded(paid), 'invalid_signature'],
    ['an empty hash', encoded({ ...paid, c_hash: '' }), 'invalid_signature'],
    ['a hash cut', reported().slice(0, -1), 'invalid_signature'],
    ['a strange account', reported({ c_key: 'GWDEMO99' }), 'invalid_signature'],
    ['an account in other case', reported({ c_key: 'gwdemo01' }), 'invalid_signature'],
    ['an extra field that the hash does not cover', `${reported()}&c_extra=fee`, 'invalid_signature'],
    [
      'an extra field taken away',
      encoded({ ...withHash({ ...paid, c_extra: 'RF-1' }), c_extra: undefined }),
      'invalid_signature',
    ],
    ['a broken escape', `${reported()}&z=%zz`, 'malformed'],
    ['escaped bytes that are not UTF-8', `${reported()}&z=%ff`, 'malformed'],
    ['raw bytes that are not UTF-8', Buffer.concat([Buffer.from(reported()), Buffer.from([0x26, 0xff])]), 'malformed'],
    ['a byte order mark', `\ufeff${reported()}`, 'malformed'],
    ['the state twice', `${reported()}&c_state=success`, 'malformed'],
    ["a field of another message of C's twice", `${reported()}&c_step=a&c_step=b`, 'malformed'],
    ['an unknown field twice', `${reported()}&c_new=a&c_new=b`, true],
    ...['c_id', 'c_state', 'c_ref', 'c_total', 'c_key'].flatMap(
      (name) =>
        [
          [`no ${name}`, reported({ [name]: undefined }), 'malformed'],
          [`an empty ${name}`, reported({ [name]: '' }), 'malformed'],
        ] as const,
    ),
    ['no state, and a strange account', reported({ c_state: undefined, c_key: 'GWDEMO99' }), 'malformed'],
    ['nothing', '', 'malformed'],
    ['an id of 20 digits', reported({ c_id: '9'.repeat(20) }), true],
    ['an id of 21 digits', reported({ c_id: '9'.repeat(21) }), 'malformed'],
    ['an id with letters', reported({ c_id: '70a' }), 'malformed'],
    ['a reference of 24', reported({ c_ref: 'A'.repeat(24) }), true],
    ['a reference of 25', reported({ c_ref: 'A'.repeat(25) }), 'malformed'],
    ['a reference in small letters', reported({ c_ref: 'gw-10042-1' }), 'malformed'],
    ['a reference with a line feed behind it', reported({ c_ref: 'GW-10042-1\n' }), 'malformed'],
    ['a comma in the total', reported({ c_total: '25,90' }), 'malformed'],
    ['a digit beyond the decimals', reported({ c_total: '25.901' }), 'malformed'],
    ['16 digits before the point', reported({ c_total: '1000000000000000' }), 'malformed'],
    ['11 digits behind the point', reported({ c_total: '25.90000000000' }), 'malformed'],
    ['a point without digits', reported({ c_total: '25.' }), 'malformed'],
    ['a sign', reported({ c_total: '-25.90' }), 'malformed'],
    ['digits of another script', reported({ c_total: '٢٥' }), 'malformed'],
    ['a separator in the state', reported({ c_state: 'suc|cess' }), 'malformed'],
    ['a carriage return in the state', reported({ c_state: 'success\r' }), 'malformed'],
    ['a separator in the extra field', reported({ c_extra: 'a|b' }), 'malformed'],
    ['a separator in a text of the payer', reported({ c_name: 'a|b\n' }), true],
    ['a refund without its id', reported({ c_state: 'refunded' }), 'malformed'],
    ['a dispute with an empty id', reported({ c_state: 'disputed', c_extra: '' }), 'malformed'],
    ['a wrong id and a wrong hash', encoded({ ...withHash(paid), c_id: 'x', c_mail: 'y' }), 'invalid_signature'],
    [
      'a refund without its id and a wrong hash',
      encoded({ ...withHash(paid), c_state: 'refunded' }),
      'invalid_signature',
    ],
  ] as const) {
    it(`calls ${name} ${verdict === true ? 'genuine' : verdict}`, async () => {
      expect((await deliver('providerC', body)).genuine).to.equal(verdict);
    });
  }

  for (const [type, verdict] of [
    ['application/x-www-form-urlencoded; charset=iso-8859-1', true],
    ['Application/X-WWW-Form-Urlencoded', true],
    ['text/plain', 'malformed'],
    ['', 'malformed'],
  ] as const) {
    it(`calls the content type "${type}" ${verdict === true ? 'genuine' : verdict}`, async () => {
      expect((await deliver('providerC', reported(), { headers: [['Content-Type', type]] })).genuine).to.equal(verdict);
      expect((await deliver('providerC', reported(), { headers: [] })).genuine).to.equal('malformed');
    });
  }

  it('answers each outcome as C expects', async () => {
    const plain = { 'Content-Type': 'text/plain; charset=utf-8' };
    const answerTo = async (body: string, coreSays?: CoreSays) =>
      (await deliver('providerC', body, defined({ coreSays }))).acknowledgement;
    for (const says of outcomes) {
      expect(await answerTo(reported(), says)).to.deep.equal({
        status: 200,
        headers: plain,
        body: 'RECEIVED 700000000000000181',
      });
    }
    expect(await answerTo(encoded(paid))).to.deep.equal({ status: 403, headers: plain, body: 'REFUSED' });
    const unreadable = { status: 400, headers: plain, body: 'UNREADABLE' };
    expect(await answerTo('')).to.deep.equal(unreadable);
    expect(await answerTo(reported({ c_total: 'x' }))).to.deep.equal(unreadable);
    expect(await answerTo(reported(), 'try_later')).to.deep.equal({
      status: 503,
      headers: { ...plain, 'Retry-After': '30' },
      body: 'LATER',
    });
  });
});
