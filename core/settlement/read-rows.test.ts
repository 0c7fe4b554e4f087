import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { parseMapping } from './mapping-file.ts';
import { SettlementProblem } from './problem.ts';
import { readAmount } from './read-amount.ts';
import { readRows, type ReadRow } from './read-rows.ts';
import { createReadTime } from './read-time.ts';
import { fileAt } from './settlement-file.ts';

const examples = new URL('../../../config/examples/settlement/', import.meta.url);

describe('readRows', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-settle-'));
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const base = `
columns: { reference: Ref, kind: Type, amount: Amount, currency: Cur, fee: Fee, date: Date }
kinds: { payment: [sale], refund: [back], fee: [cost], ignored: [payout, ''] }
`;
  async function read(text: string | Uint8Array, yaml = base): Promise<ReadRow[]> {
    const file = join(folder, 'paid.csv');
    await writeFile(file, text);
    const rows: ReadRow[] = [];
    for await (const row of readRows(await fileAt(file), parseMapping(yaml, 'map.yaml'))) rows.push(row);
    return rows;
  }
  async function problems(text: string | Uint8Array, yaml = base): Promise<readonly string[]> {
    try {
      await read(text, yaml);
    } catch (error) {
      expect(error).to.be.instanceOf(SettlementProblem);
      return (error as SettlementProblem).problems;
    }
    throw new Error('it was read');
  }
  const mappingProblems = (yaml: string): readonly string[] => {
    try {
      parseMapping(yaml, 'map.yaml');
    } catch (error) {
      return (error as SettlementProblem).problems;
    }
    throw new Error('it was read');
  };

  it('reads columns by name, in any order', async () => {
    const rows = await read(
      'Date,Note,Type,Ref,Cur,Fee,Amount\n2026-03-01T12:00:00+02:00,"a, ""b""\nc",sale,GW-1-1,eur,0.51,"1,025.90"\n,,payout,,,,-9\n',
    );
    expect(rows).to.deep.equal([
      {
        line: 3,
        kind: 'payment',
        reference: 'GW-1-1',
        providerReference: null,
        subReference: null,
        amount: { isNegative: false, amount: '1025.9' },
        currency: 'EUR',
        fee: { isNegative: false, amount: '0.51' },
        feeCurrency: 'EUR',
        at: new Date('2026-03-01T10:00:00Z'),
        until: new Date('2026-03-01T10:00:01Z'),
      },
      null,
    ]);
  });

  it('accepts a byte order mark, semicolons, decimal commas, Windows line ends and a local time', async () => {
    const yaml = `${base}decimalMark: ','\ndateFormat: DD.MM.YYYY HH:mm\ntimeZone: Europe/Berlin\nskipLines: 1\n`;
    const text =
      'Export of March\r\nRef;Type;Amount;Cur;Fee;Date\r\nGW-1-1;sale;"1.025,90";EUR;;01.07.2026 12:30\r\n;;;;;\r\n';
    const rows = await read(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]), yaml);
    expect(rows).to.have.lengthOf(2);
    expect(rows[0]).to.deep.include({ amount: { isNegative: false, amount: '1025.9' }, fee: null });
    expect(rows[0]!.at).to.deep.equal(new Date('2026-07-01T10:30:00Z'));
  });

  it('accepts minor units, one column per direction, and fees in several columns', async () => {
    const yaml = `
amountUnit: minor
columns: { providerReference: Ref, amount: { credit: In, debit: Out }, currency: Cur, fee: [A, B] }
`;
    const rows = await read('Ref,In,Out,Cur,A,B\nx1,2590,,EUR,10,5\nx2,,1500,JPY,,\nx3,,1000,KWD,1,\n', yaml);
    expect(rows.map((row) => [row!.kind, row!.amount, row!.fee?.amount ?? null])).to.deep.equal([
      ['payment', { isNegative: false, amount: '25.9' }, '0.15'],
      ['refund', { isNegative: true, amount: '1500' }, null],
      ['refund', { isNegative: true, amount: '1' }, '0.001'],
    ]);
  });

  it('reports where a file cannot be read and what to do, for at most ten bad rows', async () => {
    expect(await problems('Reff,Type,Amount,Cur,Fee,Date\n')).to.deep.equal([
      'paid.csv: has no column "Ref" (columns.reference of the mapping): did you mean Reff?',
    ]);
    expect(await problems('')).to.deep.equal(['paid.csv: has no header line']);
    expect(await problems(Buffer.from([0x50, 0x4b, 3, 4, 0, 0]))).to.deep.equal([
      'paid.csv: is not a text file: export it as CSV, not as a workbook or an archive',
    ]);
    const header = 'Ref,Type,Amount,Cur,Fee,Date\n';
    expect(
      await problems(
        `${header}GW-1-1,sale,"25,9",EUR,,2026-03-01\nGW-2-1,sold,1,EUR,,2026-03-01\nGW-3-1,sale,,EUR,,2026-03-01\n` +
          'GW-4-1,sale,1,€,,2026-03-01\nGW-5-1,sale,1,EUR,,31/12/2026\nGW-6-1,sale\n',
      ),
    ).to.deep.equal([
      'paid.csv: line 2, column "Amount": "25,9" is not an amount such as 1,025.90: set decimalMark to the mark before the decimals',
      'paid.csv: line 3, column "Type": "sold" has no kind: add it to one of kinds, or to kinds.ignored',
      'paid.csv: line 4, column "Amount": "" is not an amount: the cell is empty',
      'paid.csv: line 5, column "Cur": "€" is not a currency',
      'paid.csv: line 6, column "Date": "31/12/2026" is not a time: set dateFormat to its format, such as DD/MM/YYYY HH:mm:ss',
      'paid.csv: line 7, has 2 cells, but the header has 6 columns: the file is truncated or has another separator',
    ]);
    expect(await problems(header + 'GW-1-1,sold,1,EUR,,2026-03-01\n'.repeat(30))).to.have.lengthOf(10);
    expect(await problems(`${header}GW-1-1,sale,"25.90,EUR,,2026-03-01\n`)).to.deep.equal([
      'paid.csv: line 2: a quoted cell does not end, or an unquoted cell contains a quote',
    ]);
  });

  it('reports mistakes of the mapping with their position', () => {
    expect(mappingProblems('columns: [')[0]).to.match(/^map\.yaml: line 1: is not valid YAML/);
    expect(mappingProblems('columns: { reference: a, amount: b, currency: c, feee: d }')).to.deep.equal([
      'map.yaml: columns.feee: is unknown: did you mean fee?',
    ]);
    expect(mappingProblems('columns: { reference: a, amount: b }')).to.deep.equal([
      'map.yaml: columns.currency: is missing',
    ]);
    expect(mappingProblems('columns: { amount: b, currency: c }')).to.deep.equal([
      'map.yaml: columns.reference or columns.providerReference is required: without one no payment can be found',
    ]);
    const most = 'columns: { reference: a, amount: b, currency: c, kind: d }\n';
    expect(mappingProblems(`${most}kinds: { payment: x, refund: x }`)).to.deep.equal([
      'map.yaml: kinds: "x" has two kinds; keep one',
    ]);
    expect(mappingProblems(`${most}kinds: { payment: x }\ntimeZone: Europe/Nowhere\nseparator: ':'`)).to.deep.equal([
      'map.yaml: separator: must be one of , ; | tab',
      'map.yaml: timeZone: must be a time zone such as UTC or Europe/Amsterdam',
    ]);
  });

  it('reads files of Adyen and Stripe with the shipped mappings', async () => {
    const adyen = await read(
      'Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,' +
        'Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),' +
        'Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant,' +
        'Modification Merchant Reference,Batch Number\n' +
        'Co,Shop,QFQTPCQ8HXSKGK82,GW-1-1,visa,2026-06-03 11:26:49,CEST,Settled,V4HZ4RBFJGXXGN82,EUR,,5.00,1,EUR,,4.88,,0.04,0.01,0.07,visaclassic,,4\n' +
        'Co,Shop,QFQTPCQ8HXSKGK82,GW-1-1,visa,2026-06-04 09:00:00,CEST,Refunded,R4HZ4RBFJGXXGN82,EUR,2.00,,1,EUR,2.00,,,,,,visaclassic,GW-1-1-R1,4\n' +
        'Co,Shop,,,,2026-06-05 04:55:40,CEST,Fee,Transaction Fees June,,,,,EUR,1.20,,,,,,,,4\n' +
        'Co,Shop,,,,2026-06-05 04:55:40,CEST,MerchantPayout,TX1,,,,,EUR,1.68,,,,,,,,4\n',
      await readFile(new URL('adyen.yaml', examples), 'utf8'),
    );
    expect(
      adyen.map((row) => row && [row.kind, row.amount.amount, row.fee?.amount ?? null, row.at?.toISOString()]),
    ).to.deep.equal([
      ['payment', '5', '0.12', '2026-06-03T09:26:49.000Z'],
      ['refund', '2', null, '2026-06-04T07:00:00.000Z'],
      ['fee', '0', null, '2026-06-05T02:55:40.000Z'],
      null,
    ]);
    const stripe = await read(
      'balance_transaction_id,created_utc,created,available_on_utc,available_on,currency,gross,fee,net,reporting_category,source_id,description,payment_intent_id\n' +
        'txn_1,2026-05-01 12:00:00,2026-05-01 12:00:00,2026-05-03 00:00:00,2026-05-03 00:00:00,usd,10.00,0.59,9.41,charge,ch_1,"Acme, Inc.",pi_1\n' +
        'txn_2,2026-05-02 08:30:00,2026-05-02 08:30:00,2026-05-03 00:00:00,2026-05-03 00:00:00,usd,-4.00,0.00,-4.00,refund,re_1,,pi_1\n',
      await readFile(new URL('stripe.yaml', examples), 'utf8'),
    );
    expect(
      stripe.map((row) => [row!.kind, row!.amount, row!.currency, row!.providerReference, row!.subReference]),
    ).to.deep.equal([
      ['payment', { isNegative: false, amount: '10' }, 'USD', 'pi_1', 'ch_1'],
      ['refund', { isNegative: true, amount: '4' }, 'USD', 'pi_1', 're_1'],
    ]);
  });
});

describe('readAmount', () => {
  const read = (cell: string, decimalMark: '.' | ',' = '.'): string => {
    const found = readAmount(cell, 'EUR', { amountUnit: 'major', decimalMark });
    return typeof found === 'string' ? 'wrong' : `${found.isNegative ? '-' : ''}${found.amount}`;
  };
  it('reads amounts exactly, with signs before or after, and groups of thousands', () => {
    for (const [cell, expected] of [
      ['25.90', '25.9'],
      ['-25.90', '-25.9'],
      ['25.90-', '-25.9'],
      ['(25.90)', '-25.9'],
      ['+1,234,567.89', '1234567.89'],
      ['0.1', '0.1'],
      ['9007199254740993.01', '9007199254740993.01'],
      ['12,34', 'wrong'],
      ['1e3', 'wrong'],
      ['(25', 'wrong'],
      ['--1', 'wrong'],
      ['EUR 5', 'wrong'],
    ] as const)
      expect(read(cell), cell).to.equal(expected);
    expect(read("1'234,5", ',')).to.equal('1234.5');
    expect(read('1 234,5', ',')).to.equal('1234.5');
    expect(read('1.234', ',')).to.equal('1234');
    expect(read('12.34', ',')).to.equal('wrong');
    expect([read('( 5.00 )'), read('- 5.00'), read('5.00 -')]).to.deep.equal(['-5', '-5', '-5']);
  });

  it('reads no cell of more than 200 characters', () => {
    const padded = (length: number): string => `-${' '.repeat(length - 2)}5`;
    expect([200, 201, 60_000].map((length) => read(padded(length)))).to.deep.equal(['-5', 'wrong', 'wrong']);
  });
});

describe('readTime', () => {
  const at = (cell: string, zone: string, format?: string): string | undefined =>
    createReadTime(format, zone)(cell)?.from.toISOString();
  it('reads times in their zone, including clock changes', () => {
    expect(at('2026-01-15', 'Europe/Berlin')).to.equal('2026-01-14T23:00:00.000Z');
    expect(at('2026-07-15 00:00', 'America/New_York')).to.equal('2026-07-15T04:00:00.000Z');
    expect(at('2026-03-29 01:59', 'Europe/Berlin')).to.equal('2026-03-29T00:59:00.000Z');
    expect(at('2026-03-29 02:30', 'Europe/Berlin')).to.equal('2026-03-29T01:30:00.000Z');
    expect(at('2026-03-29 03:00', 'Europe/Berlin')).to.equal('2026-03-29T01:00:00.000Z');
    expect(at('2026-10-25 02:30', 'Europe/Berlin')).to.equal('2026-10-25T00:30:00.000Z');
    expect(at('2026-10-25 03:00', 'Europe/Berlin')).to.equal('2026-10-25T02:00:00.000Z');
    expect(at('2026-06-01T10:00:00.123Z', 'Asia/Kolkata')).to.equal('2026-06-01T10:00:00.000Z');
    expect(at('1/6/2026 9:05', 'Asia/Kolkata', 'DD/MM/YYYY HH:mm')).to.equal('2026-06-01T03:35:00.000Z');
    for (const cell of ['2026-02-30', '2026-13-01', '2026-01-01 25:00', 'yesterday', '01/02/2026'])
      expect(at(cell, 'UTC'), cell).to.equal(undefined);
  });

  it('reads the end of the day, minute or second that a cell names', () => {
    const end = (cell: string, zone: string, format?: string): string | undefined =>
      createReadTime(format, zone)(cell)?.to.toISOString();
    expect(end('2026-01-15', 'UTC')).to.equal('2026-01-16T00:00:00.000Z');
    expect(end('2026-01-31', 'Europe/Berlin')).to.equal('2026-01-31T23:00:00.000Z');
    expect(end('2026-03-29', 'Europe/Berlin'), 'a day of 23 hours').to.equal('2026-03-29T22:00:00.000Z');
    expect(end('2026-10-25', 'Europe/Berlin'), 'a day of 25 hours').to.equal('2026-10-25T23:00:00.000Z');
    expect(end('2026-06-01 23:59', 'UTC')).to.equal('2026-06-02T00:00:00.000Z');
    expect(end('2026-06-01T10:00:00Z', 'UTC')).to.equal('2026-06-01T10:00:01.000Z');
    expect(end('2026-06-01T10:00:00.123+02:00', 'UTC')).to.equal('2026-06-01T08:00:01.000Z');
    expect(end('31/12/2026', 'Asia/Kolkata', 'DD/MM/YYYY')).to.equal('2026-12-31T18:30:00.000Z');
    expect(end('31/12/2026 09', 'UTC', 'DD/MM/YYYY HH')).to.equal('2026-12-31T10:00:00.000Z');
  });
});
