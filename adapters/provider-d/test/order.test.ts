import { decimalsOf, isCurrency } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { currencies, currencyByNumeric, numericByCurrency, units } from '../order.ts';
import { current, deliver, deliverBoth, encoded, pack, paid, signed, triple, type Data } from './messages.ts';

const notify = async (changes: Data) => (await deliver({ body: encoded(triple(changes)) })).events[0];

describe('message of D', () => {
  it('reports the same facts by both routes', async () => {
    for (const { verdict, events } of await deliverBoth(encoded(triple()))) {
      expect(verdict).to.equal('genuine');
      expect(events).to.deep.equal([
        {
          kind: 'payment',
          providerStatus: '0:0000',
          status: 'succeeded',
          reference: 'GW-10042-1',
          providerReference: '90071992547409931001',
          amount: '25.90',
          currency: 'EUR',
          dedupeKey: '90071992547409931001:0:0000',
        },
      ]);
    }
  });

  for (const [statuses, kind, status] of [
    ['0:0000 0:0001 0:0099', 'payment', 'succeeded'],
    ['0:0100 0:0101 0:0184 0:0399 0:9912', 'payment', 'failed'],
    ['0:9915 9:0400', 'payment', 'cancelled'],
    ['0:9970', 'payment', 'expired'],
    ['0:9997', 'payment', 'pending'],
    ['3:0900', 'refund', 'succeeded'],
    ['3:9997', 'refund', 'pending'],
    ['3:0100 3:0399', 'refund', 'failed'],
    ['3:0901', 'refund', 'reversed'],
    ['7:0700', 'chargeback', 'opened'],
    ['7:0701', 'chargeback', 'won'],
    ['7:0702', 'chargeback', 'lost'],
    ['7:0703', 'chargeback', 'reversed'],
    ['0:0400 0:0900 0:8000 0:8888 0:0700 9:0000 9:0401 1:0000 5:0100', 'payment', 'unknown'],
    ['3:0000 3:0400 3:0700 3:9912', 'refund', 'unknown'],
    ['7:0000 7:0704 7:0900 7:9997', 'chargeback', 'unknown'],
  ] as const) {
    for (const providerStatus of statuses.split(' ')) {
      it(`reads ${providerStatus} as ${kind} ${status}`, async () => {
        const [D_Op, D_Code] = providerStatus.split(':');
        const event = (await notify({ D_Op, D_Code, D_Id: '12' }))!;
        expect(event).to.include({ kind, status, providerStatus, dedupeKey: `12:${providerStatus}` });
        if (kind === 'payment') expect(event).to.include({ providerReference: '12' }).and.not.have.key('subReference');
        else expect(event).to.include({ providerReference: null, subReference: '12' });
        expect('decline' in event).to.equal(kind === 'payment' && status === 'failed');
      });
    }
  }

  for (const [code, decline, more] of [
    ['0190', '05', {}],
    ['0116', '51', {}],
    ['0101', '54', {}],
    ['0104', '57', {}],
    ['0180', '57', {}],
    ['0121', '61', {}],
    ['9912', '05', {}],
    ['0184', '05', { threeDsResult: 'N' }],
    ['0399', '05', {}],
  ] as const) {
    it(`declines with ${decline} for ${code}, and keeps D's text`, async () => {
      const secure = code === '0184' ? { D_Secure: '3' } : {};
      const {
        status,
        decline: given,
        declineText,
        threeDsResult,
      } = (await notify({
        D_Code: code,
        D_Text: 'Zu%20viel%2B',
        ...secure,
      }))!;
      expect({ status, given, declineText }).to.deep.equal({
        status: 'failed',
        given: decline,
        declineText: 'Zu viel+',
      });
      expect(threeDsResult).to.equal('threeDsResult' in more ? more.threeDsResult : undefined);
    });
  }

  it('reports a failed 3D Secure result only if the payer failed it', async () => {
    expect(await notify({ D_Code: '0184' })).to.include({ threeDsResult: 'N' });
    expect(await notify({ D_Code: '0184', D_Secure: '1' })).not.to.have.property('threeDsResult');
    expect(await notify({ D_Code: '0190', D_Secure: '3' })).not.to.have.property('threeDsResult');
    expect(await notify({ D_Code: '0000', D_Secure: '3' })).not.to.have.any.keys('decline', 'threeDsResult');
  });

  it('reports the 3D Secure result that D_Secure of a payment proves', async () => {
    const shown = async (members: Parameters<typeof notify>[0]) => (await notify(members))?.threeDs;
    const all = await Promise.all(['0', '1', '2', '3', '9'].map(async (D_Secure) => shown({ D_Secure })));
    expect(all).to.deep.equal(['none', 'authenticated', 'attempted', 'none', undefined]);
    expect(await shown({ D_Secure: '0', D_Op: '3', D_Code: '0900' })).to.equal(undefined);
  });

  for (const [D_Sum, D_Cur, amount, currency] of [
    ['2590', '978', '25.90', 'EUR'],
    ['0', '978', '0.00', 'EUR'],
    ['000002590', '978', '25.90', 'EUR'],
    ['7', '840', '0.07', 'USD'],
    ['2590', '392', '2590', 'JPY'],
    ['1005', '414', '1.005', 'KWD'],
    ['30005', '036', '300.05', 'AUD'],
    ['100', '348', '1.00', 'HUF'],
    ['999999999999999', '978', '9999999999999.99', 'EUR'],
  ] as const) {
    it(`reads ${D_Sum} of ${D_Cur} as ${amount} ${currency}`, async () => {
      expect(await notify({ D_Sum, D_Cur })).to.include({ amount, currency });
    });
  }

  for (const [what, changes] of [
    ...['D_Op', 'D_Id', 'D_Sum', 'D_Cur', 'D_Code'].map((name) => [`no ${name}`, { [name]: undefined }] as const),
    ['an operation of two digits', { D_Op: '00' }],
    ['an operation that is a letter', { D_Op: 'a' }],
    ['an empty operation', { D_Op: '' }],
    ['an operation that is a number', { D_Op: 0 }],
    ['a code of three digits', { D_Code: '000' }],
    ['a code of five digits', { D_Code: '00000' }],
    ['a code with a line break', { D_Code: '0000%0A' }],
    ['an id of 21 digits', { D_Id: '1'.repeat(21) }],
    ['an id with a letter', { D_Id: '12a' }],
    ['a sum of 16 digits', { D_Sum: '1'.repeat(16) }],
    ['an empty sum', { D_Sum: '' }],
    ['a sum with a sign', { D_Sum: '-1' }],
    ['a sum with a point', { D_Sum: '25.90' }],
    ['a currency by its letters', { D_Cur: 'EUR' }],
    ['a currency without its zero', { D_Cur: '36' }],
    ['a currency that is not in the table', { D_Cur: '643' }],
    ['a text that is null', { D_Text: null }],
    ['a text with a broken escape', { D_Text: '%zz' }],
    ['a text that is not UTF-8', { D_Text: '%C3' }],
    ['a card that is a number', { D_Card: 1111 }],
    ['a page that is a list', { D_Page: [] }],
    ['a name that is an object', { D_Name: {} }],
  ] as const) {
    it(`is malformed and kept with ${what}`, async () => {
      for (const { verdict, acknowledgement } of await deliverBoth(encoded(triple(changes)))) {
        expect(verdict).to.equal('malformed');
        expect(acknowledgement.status).to.equal(400);
      }
    });
  }

  it('accepts empty members, white space, any order, and unknown members', async () => {
    const { D_Order, ...others } = paid;
    const data = { D_New: [1, null], D_Auth: '', D_Text: '1+1', D_Secure: '9', ...others, D_Order };
    const spaced = Buffer.from(JSON.stringify(data, null, 2)).toString('base64');
    const { verdict, events } = await deliver({ body: encoded(signed(spaced)) });
    expect([verdict, events.length]).to.deep.equal(['genuine', 1]);
  });

  it('restores bare pluses that became spaces', async () => {
    const data = pack({ ...paid, D_Text: '~~~>~~~>' });
    expect(data).to.contain('+');
    const { d_ver, d_data, d_sig } = signed(data) as Record<'d_ver' | 'd_data' | 'd_sig', string>;
    const sig = d_sig.replaceAll('-', '+').replaceAll('_', '/');
    for (const text of [
      `d_ver=${d_ver}&d_data=${d_data}&d_sig=${sig}`,
      `d_ver=${d_ver}&d_data=${d_data.replaceAll('+', '%20')}&d_sig=${sig.replaceAll('+', '%20')}`,
    ]) {
      for (const { verdict } of await deliverBoth(text)) expect(verdict).to.equal('genuine');
    }
  });

  it('refuses a foreign key', async () => {
    const stranger = `${current.slice(0, -2)}E=`.replace(/^b/, 'c');
    const forged = signed(pack(paid), 'GW-10042-1', stranger);
    expect((await deliver({ body: encoded(forged) })).verdict).to.equal('invalid_signature');
  });
});

describe("D's currencies", () => {
  it('are those of ISO 4217, each with its own numeric code', () => {
    expect(currencies).to.have.length(61);
    expect(new Set(currencies).size).to.equal(61);
    expect(new Set(currencies.map((currency) => numericByCurrency.get(currency))).size).to.equal(61);
    for (const currency of currencies) {
      expect(isCurrency(currency), currency).to.equal(true);
      expect(numericByCurrency.get(currency), currency).to.match(/^\d{3}$/);
      expect(currencyByNumeric.get(numericByCurrency.get(currency)!)).to.equal(currency);
    }
  });

  it('have the decimals of D’s table', () => {
    const by = (decimals: number) => currencies.filter((currency) => decimalsOf(currency) === decimals).join(' ');
    expect(by(0)).to.equal('ISK JPY KRW VND CLP PYG');
    expect(by(3)).to.equal('KWD BHD OMR JOD TND');
    expect(currencies.filter((currency) => ![0, 2, 3].includes(decimalsOf(currency)))).to.deep.equal([]);
  });

  it('are found by country; EU means the euro', () => {
    expect(Object.keys(units)).to.have.length(88);
    for (const [unit, currency, numeric] of [
      ['EU', 'EUR', '978'],
      ['HR', 'EUR', '978'],
      ['BG', 'EUR', '978'],
      ['VA', 'EUR', '978'],
      ['US', 'USD', '840'],
      ['LI', 'CHF', '756'],
      ['AM', 'AMD', '051'],
      ['AU', 'AUD', '036'],
      ['AR', 'ARS', '032'],
      ['BH', 'BHD', '048'],
      ['BD', 'BDT', '050'],
      ['JP', 'JPY', '392'],
      ['PY', 'PYG', '600'],
    ] as const) {
      expect([units[unit], numericByCurrency.get(units[unit]!)]).to.deep.equal([currency, numeric]);
    }
  });

  it('exclude a country that is not in the table', () => {
    for (const unit of ['UK', 'eu', 'Eu', 'XX', 'RU', 'EUR', '', '__proto__', 'constructor']) {
      expect(Object.hasOwn(units, unit), unit).to.equal(false);
    }
    for (const numeric of ['36', '0978', '999', '', '978 ']) expect(currencyByNumeric.get(numeric)).to.equal(undefined);
  });
});
