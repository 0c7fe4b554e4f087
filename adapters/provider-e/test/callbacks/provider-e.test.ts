import { basicAuthorization } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { deliver, answered, noticeOf, order, password, result, sum } from '../messages.ts';

const basic = (credentials: string | Uint8Array): string =>
  `Basic ${Buffer.from(credentials as string).toString('base64')}`;
const resultOf = (kind: string, dir: string): string =>
  result(`kind="${kind}" seq="1" at="now"`, sum(`value="2590" cur="EUR" exp="2" dir="${dir}"`));

describe('the sender of a notice', () => {
  for (const [name, header] of [
    ['the current password', basic('gw-notice:N0tice:current')],
    ['a previous password', basic('gw-notice:N0tice:previous')],
    ['the scheme in lower case', basic('gw-notice:N0tice:current').replace('Basic', 'basic')],
    ['the scheme in upper case', basic('gw-notice:N0tice:current').replace('Basic', 'BASIC')],
  ] as const) {
    it(`is accepted with ${name}`, async () => {
      expect(answered(await deliver('providerE', noticeOf(), [['authorization', header]]))).to.equal('true 200 [OK]');
    });
  }

  for (const [name, headers] of [
    ['no header', []],
    ['an empty header', [['Authorization', '']]],
    ['two headers', [...password, ...password]],
    ['another user', [['Authorization', basic('gw-notices:N0tice:current')]]],
    ['no user', [['Authorization', basic(':N0tice:current')]]],
    ['a wrong password', [['Authorization', basic('gw-notice:N0tice')]]],
    ['an empty password', [['Authorization', basic('gw-notice:')]]],
    ['no colon', [['Authorization', basic('gw-notice')]]],
    ['a longer password', [['Authorization', basic('gw-notice:N0tice:current ')]]],
    ['another scheme', [['Authorization', basic('gw-notice:N0tice:current').replace('Basic', 'Bearer')]]],
    ['no scheme', [['Authorization', basic('gw-notice:N0tice:current').replace('Basic ', '')]]],
    ['base64 without padding', [['Authorization', basic('gw-notice:N0tice:previous').replace(/=+$/, '')]]],
    ['no base64', [['Authorization', 'Basic gw-notice:N0tice:current']]],
    ['our own credentials', [['Authorization', basicAuthorization('gw-api', 'p:ss wörd')]]],
  ] as const) {
    it(`is refused with ${name}, and asked for the password`, async () => {
      const played = await deliver('providerE', noticeOf(), headers);
      expect(answered(played)).to.equal('invalid_signature 401 [NO]');
      expect(played.acknowledgement.headers).to.include({ 'WWW-Authenticate': 'Basic realm="notice"' });
    });
  }

  it('never matches an empty password', async () => {
    const headers = [['Authorization', basic('gw-notice:')]] as const;
    expect(answered(await deliver('providerE', noticeOf(), headers, { noticePasswords: [''] }))).to.equal(
      'invalid_signature 401 [NO]',
    );
  });

  it('is read in UTF-8', async () => {
    const given = { noticeUser: 'nötice', noticePasswords: ['pässwörd:'] };
    const headers = [['Authorization', basic('nötice:pässwörd:')]] as const;
    expect(answered(await deliver('providerE', noticeOf(), headers, given))).to.equal('true 200 [OK]');
    const latin = [['Authorization', basic(Buffer.from('nötice:pässwörd:', 'latin1'))]] as const;
    expect(answered(await deliver('providerE', noticeOf(), latin, given))).to.equal('invalid_signature 401 [NO]');
  });
});

describe('the order of checks of a notice', () => {
  for (const [name, body, headers, expected] of [
    ['the password before the XML', '<', [], 'invalid_signature 401 [NO]'],
    ['the XML before the account', '<pay:notice acct="OTHER">', password, 'malformed 500 [NO]'],
    ['the root before the account', noticeOf().replaceAll('notice', 'reply'), password, 'malformed 500 [NO]'],
    [
      'the depth before the account',
      noticeOf('<a>'.repeat(8) + '</a>'.repeat(8), 'acct="OTHER"'),
      password,
      'malformed 500 [NO]',
    ],
    ['the account before the other checks', noticeOf('', 'acct="OTHER"'), password, 'invalid_signature 401 [NO]'],
    ['an empty account like another account', noticeOf(order(), 'acct=""'), password, 'invalid_signature 401 [NO]'],
  ] as const) {
    it(`checks ${name}`, async () => expect(answered(await deliver('providerE', body, headers))).to.equal(expected));
  }
});

describe('the form of a notice', () => {
  it('allows any prefix, white space, order, quotes, comments, CDATA and unknown members', async () => {
    const body = `<?xml version='1.0' encoding='utf-8'?>
<!-- a comment --><!DOCTYPE notice SYSTEM "https://nowhere.example/[x].dtd"><?a note?>
<n:notice n:acct='GWSHOP' xmlns:n="urn:another" new="1">
  <later><order/></later>text<![CDATA[<order/>]]>
  <n:order txn='E&#48;1' code="GW-10042-1" extra='x'><!-- . -->
    <x:result xmlns:x="urn:x" at="soon" seq="999999" kind='CAPTURED' why="ignored"><new/>
      <sum dir="in" exp="2" cur="EUR" value="002590"></sum></x:result></n:order>
</n:notice>
`;
    const played = await deliver('providerE', body);
    expect(answered(played)).to.equal('true 200 [OK]');
    expect(played.events).to.have.length(1);
    expect(played.events[0]).to.deep.include({
      reference: 'GW-10042-1',
      providerReference: 'E01',
      amount: '25.90',
      dedupeKey: 'E01/999999',
      orderHint: 999_999,
    });
    expect(played.events[0]).not.to.have.any.keys('decline', 'occurredAt');
  });

  it('allows elements down to depth 8', async () => {
    const deep = (levels: number): string => noticeOf(order() + '<a>'.repeat(levels) + '</a>'.repeat(levels));
    expect(answered(await deliver('providerE', deep(7)))).to.equal('true 200 [OK]');
    expect(answered(await deliver('providerE', deep(8)))).to.equal('malformed 500 [NO]');
  });

  it('gives one event for each result, also for a duplicate', async () => {
    const twice = noticeOf(order(result() + result()) + order(result(), 'code="GW-7-2" txn="E1"'));
    const { events } = await deliver('providerE', twice);
    expect(events.map(({ dedupeKey }) => dedupeKey)).to.deep.equal(['E0000004711/2', 'E0000004711/2', 'E1/2']);
  });

  it('is read to its end, in pieces if an order has many results, and one fault makes it unreadable', async () => {
    const results = Array.from({ length: 250 }, (_, n) =>
      result(`kind="CAPTURED" seq="${n + 1}" at="2026-03-01T10:00:05Z"`),
    );
    const { events } = await deliver('providerE', noticeOf(order() + order(results.join(''))));
    expect(events.map(({ orderHint }) => orderHint)).to.deep.equal([2, ...results.map((_, n) => n + 1)]);
    const faulty = noticeOf(order() + order(results.toSpliced(150, 1, result('kind="CAPTURED" seq="0"')).join('')));
    expect(answered(await deliver('providerE', faulty))).to.equal('malformed 500 [NO]');
  });

  for (const [name, body] of [
    ['nothing', ''],
    ['no XML', '{}'],
    ['an unclosed element', noticeOf().slice(0, -1)],
    ['bytes that are not UTF-8', Buffer.from(noticeOf(order(), 'acct="GWSHOP" by="Zoë"'), 'latin1')],
    ['a declaration of another encoding', `<?xml version="1.0" encoding="ISO-8859-1"?>${noticeOf()}`],
    ['another entity', noticeOf('&nbsp;')],
    ['an internal subset', `<!DOCTYPE notice []>${noticeOf()}`],
    ['another root', noticeOf().replaceAll('pay:notice', 'pay:submit')],
    ['no account', noticeOf(order(), '')],
    ['no order', noticeOf('')],
    ['an order nested deeper', noticeOf(`<orders>${order()}</orders>`)],
    ['an order without result', noticeOf(order() + order(''))],
    ['a result nested deeper', noticeOf(order(`<results>${result()}</results>`))],
    ['no code', noticeOf(order(result(), 'txn="E1"'))],
    ['an empty code', noticeOf(order(result(), 'code="" txn="E1"'))],
    ['no txn', noticeOf(order(result(), 'code="GW-1-1"'))],
    ['an empty txn', noticeOf(order(result(), 'code="GW-1-1" txn=""'))],
    ['no kind', noticeOf(order(result('seq="1" at="now"')))],
    ['no seq', noticeOf(order(result('kind="CAPTURED" at="now"')))],
    ...['0', '01', '-1', '+1', '1.0', '1e3', '1000000', ' 1', '', '１'].map(
      (seq) => [`seq "${seq}"`, noticeOf(order(result(`kind="CAPTURED" seq="${seq}" at="now"`)))] as const,
    ),
    ['no time', noticeOf(order(result('kind="CAPTURED" seq="1"')))],
    ['a known kind without sum', noticeOf(order(result(undefined, '')))],
    ['an amount nested deeper', noticeOf(order(result(undefined, `<sums>${sum()}</sums>`)))],
    ['two sums', noticeOf(order(result(undefined, sum() + sum())))],
    ...[
      'cur="EUR" exp="2" dir="in"',
      'value="" cur="EUR" exp="2" dir="in"',
      'value="25.90" cur="EUR" exp="2" dir="in"',
      'value="-1" cur="EUR" exp="2" dir="in"',
      `value="${'1'.repeat(19)}" cur="EUR" exp="2" dir="in"`,
      'value="1" exp="2" dir="in"',
      'value="1" cur="eur" exp="2" dir="in"',
      'value="1" cur="EURO" exp="2" dir="in"',
      'value="1" cur="EUR" dir="in"',
      'value="1" cur="EUR" exp="5" dir="in"',
      'value="1" cur="EUR" exp="02" dir="in"',
      'value="1" cur="EUR" exp="2"',
      'value="1" cur="EUR" exp="2" dir="out"',
      'value="1" cur="EUR" exp="2" dir="IN"',
    ].map((attributes) => [`the sum ${attributes}`, noticeOf(order(result(undefined, sum(attributes))))] as const),
    [
      'a wrong amount under an unknown kind',
      noticeOf(order(result('kind="SCORED" seq="1" at="now"', sum('value="1" cur="EUR" exp="9"')))),
    ],
  ] as const) {
    it(`is malformed with ${name}`, async () => {
      const played = await deliver('providerE', body);
      expect(answered(played)).to.equal('malformed 500 [NO]');
      expect(played.events).to.deep.equal([]);
    });
  }

  it('applies nothing if one order is malformed', async () => {
    const { events, genuine } = await deliver('providerE', noticeOf(order() + order(result(), 'code="GW-1-1"')));
    expect([genuine, events]).to.deep.equal(['malformed', []]);
  });
});

describe('the meaning of a result', () => {
  for (const [providerStatus, dir, kind, status] of [
    ['SENT', 'in', 'payment', 'pending'],
    ['AUTHORISED', 'in', 'payment', 'authorised'],
    ['CAPTURED', 'in', 'payment', 'succeeded'],
    ['REFUSED', 'in', 'payment', 'failed'],
    ['CANCELLED', 'in', 'payment', 'cancelled'],
    ['EXPIRED', 'in', 'payment', 'expired'],
    ['REFUND_SENT', 'out', 'refund', 'pending'],
    ['REFUNDED', 'out', 'refund', 'succeeded'],
    ['PART_REFUNDED', 'out', 'refund', 'succeeded'],
    ['REFUND_FAILED', 'out', 'refund', 'failed'],
    ['REFUND_RETURNED', 'in', 'refund', 'reversed'],
    ['CHARGED_BACK', 'out', 'chargeback', 'opened'],
    ['CB_LOST', 'out', 'chargeback', 'lost'],
    ['CB_WON', 'in', 'chargeback', 'won'],
    ['CB_REVERSED', 'in', 'chargeback', 'reversed'],
    ['captured', 'out', 'payment', 'unknown'],
    ['sale/0000', 'in', 'payment', 'unknown'],
    ['constructor', 'in', 'payment', 'unknown'],
  ] as const) {
    it(`reads ${providerStatus} as ${kind} ${status}`, async () => {
      const { events } = await deliver('providerE', noticeOf(order(resultOf(providerStatus, dir))));
      expect(events).to.have.length(1);
      expect(events[0]).to.include({ kind, status, providerStatus, amount: '25.90', currency: 'EUR' });
      expect(events[0]).not.to.have.property('subReference');
      expect('decline' in events[0]!).to.equal(providerStatus === 'REFUSED');
      if (status === 'unknown') return;
      const other = dir === 'in' ? 'out' : 'in';
      expect((await deliver('providerE', noticeOf(order(resultOf(providerStatus, other))))).genuine).to.equal(
        'malformed',
      );
    });
  }

  it('accepts an unknown kind without amount or direction', async () => {
    const { events } = await deliver('providerE', noticeOf(order(result('kind="SCORED" seq="1" at="now"', ''))));
    expect(events[0]).to.include({ kind: 'payment', status: 'unknown', amount: null, currency: null });
    const bare = result('kind="SCORED" seq="1" at="now"', sum('value="1" cur="EUR" exp="2"'));
    expect((await deliver('providerE', noticeOf(order(bare)))).events[0]).to.include({ amount: '0.01' });
  });

  for (const [why, expected] of [
    ['why="GENERAL"', { decline: '05' }],
    ['why="FUNDS"', { decline: '51' }],
    ['why="CARD_EXPIRED"', { decline: '54' }],
    ['why="NOT_PERMITTED"', { decline: '57' }],
    ['why="LIMIT"', { decline: '61' }],
    ['why="WRONG_CODE"', { decline: '05' }],
    ['why="MOON"', { decline: '05', declineText: 'MOON' }],
    ['why="MOON" whyText="full &amp; bright"', { decline: '05', declineText: 'full & bright' }],
    ['why="4051"', { decline: '05', declineText: '4051' }],
    ['', { decline: '05' }],
  ] as const) {
    it(`reads REFUSED with ${why || 'no reason'} as ${expected.decline}`, async () => {
      const refused = result(`kind="REFUSED" seq="1" at="now" ${why}`);
      expect((await deliver('providerE', noticeOf(order(refused)))).events[0]).to.include(expected);
    });
  }

  for (const [attributes, amount] of [
    ['value="2590" cur="EUR" exp="2"', '25.90'],
    ['value="25900" cur="EUR" exp="3"', '25.90'],
    ['value="25905" cur="EUR" exp="3"', '25.905'],
    ['value="26" cur="EUR" exp="0"', '26.00'],
    ['value="1800" cur="JPY" exp="0"', '1800'],
    ['value="1805" cur="JPY" exp="1"', '180.5'],
    ['value="1500" cur="KWD" exp="3"', '1.500'],
    ['value="0" cur="EUR" exp="2"', '0.00'],
    ['value="7" cur="EUR" exp="4"', '0.0007'],
    ['value="999999999999999999" cur="EUR" exp="2"', '9999999999999999.99'],
    ['value="100" cur="QQQ" exp="0"', '100.00'],
  ] as const) {
    it(`reads ${attributes} as ${amount}`, async () => {
      const reported = result(undefined, sum(`${attributes} dir="in"`));
      expect((await deliver('providerE', noticeOf(order(reported)))).events[0]).to.include({ amount });
    });
  }

  it('includes the time of the event, if E writes it as in RFC 3339', async () => {
    const { events } = await deliver('providerE', noticeOf());
    expect(events[0]?.occurredAt?.toISOString()).to.equal('2026-03-01T10:00:05.000Z');
  });
});
