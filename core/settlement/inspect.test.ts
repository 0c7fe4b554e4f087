import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { guessMapping, inspectFile, previewRows, type GuessedMapping } from './inspect.ts';
import { readMapping } from './mapping.ts';
import { SettlementProblem } from './problem.ts';
import { fileAt, type SettlementFile } from './settlement-file.ts';

describe('the inspection of a settlement file', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-inspect-'));
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  async function fileWith(lines: readonly string[]): Promise<SettlementFile> {
    const path = join(folder, 'paid.csv');
    await writeFile(path, lines.join('\n'));
    return fileAt(path);
  }
  const guess = async (...lines: string[]): Promise<GuessedMapping> =>
    guessMapping(await inspectFile(await fileWith(lines)));

  it('finds our references and the currency by their values, and the other columns by their names', async () => {
    const guessed = await guess(
      'Booked;Shop text;PSP Reference;Type;Gross amount;Cur;Fee',
      '31/01/2026 10:00:00;GW-10042-1;P-1;SALE;1.025,90;EUR;0,25',
      '01/02/2026 10:00:00;GW-10042-1-R1;P-2;REFUND;-10,00;EUR;0',
      '01/02/2026 10:00:00;;P-3;PAYOUT;-10,00;EUR;0',
      '01/02/2026 10:00:00;;P-3;odd;-10,00;EUR;0',
    );
    expect(guessed).to.deep.equal({
      columns: {
        reference: 'Shop text',
        providerReference: 'PSP Reference',
        kind: 'Type',
        amount: 'Gross amount',
        currency: 'Cur',
        fee: 'Fee',
      },
      kinds: { SALE: 'payment', REFUND: 'refund', PAYOUT: 'ignored', odd: '' },
      decimalMark: ',',
      dateFormat: '',
    });
  });

  it('guesses the format of dates, with the month first only if a day proves it', async () => {
    const formatOf = async (...dates: string[]): Promise<string> =>
      (await guess('Date,Amount', ...dates.map((one) => `${one},1`))).dateFormat;
    expect(await formatOf('2026-03-01')).to.equal('');
    expect(await formatOf('01.02.2026')).to.equal('DD.MM.YYYY');
    expect(await formatOf('01/02/2026 9:30', '03/04/2026 10:30')).to.equal('DD/MM/YYYY HH:mm');
    expect(await formatOf('01/31/2026', '01/02/2026')).to.equal('MM/DD/YYYY');
    expect(await formatOf('01/31/2026', 'soon')).to.equal('');
  });

  it('takes no column with many values as the kind of a row', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => `text ${n},1.00,EUR`);
    expect((await guess('Description,Amount,Currency', ...rows)).columns).to.not.have.property('kind');
  });

  it('masks card numbers in the values of a column and in what is wrong with a row', async () => {
    const file = await fileWith(['Ref,Amount,Cur', 'GW-1-1,4111 1111 1111 1111,EUR', 'GW-2-1,1,4111111111111111']);
    const { columns } = await inspectFile(file);
    expect(JSON.stringify(columns)).to.not.include('1111');
    const mapping = readMapping({ columns: { reference: 'Ref', amount: 'Amount', currency: 'Cur' } }, 'mapping');
    const { problems } = await previewRows(file, mapping, 5);
    expect(problems.join(' ')).to.include('column "Amount": "[hidden]').and.not.include('1111');
  });

  it('reads the first rows with a mapping, and says why others cannot be read', async () => {
    const file = await fileWith(['Ref,Amount,Cur', 'GW-1-1,5.00,EUR', 'GW-2-1,much,EUR']);
    const mapping = readMapping({ columns: { reference: 'Ref', amount: 'Amount', currency: 'Cur' } }, 'mapping');
    const { rows, problems } = await previewRows(file, mapping, 5);
    expect(rows.map(({ reference, amount }) => [reference, amount.amount])).to.deep.equal([['GW-1-1', '5']]);
    expect(problems).to.have.lengthOf(1);
    expect(problems[0]).to.match(/^paid\.csv: line 3, column "Amount": "much" is not an amount/);
  });

  it('refuses a file without columns, and a file that is not text', async () => {
    const problemOf = async (lines: readonly string[]): Promise<string> => {
      const error: unknown = await inspectFile(await fileWith(lines)).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(SettlementProblem);
      return (error as SettlementProblem).message;
    };
    expect(await problemOf([''])).to.include('has no line with the names of at least two columns');
    expect(await problemOf(['PK\u0000\u0003'])).to.include('is not a text file');
  });
});
