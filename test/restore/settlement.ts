/** Checks that `paywright settle` finds the money of payments and refunds that the restore lost. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { runGateway } from '../../workers/supervisor/testing/running-gateway.ts';
import type { FaultsProvider } from '../faults/provider.ts';
import type { Played } from './load.ts';

const mapping = {
  adapter: 'faults',
  columns: { reference: 'reference', subReference: 'refund', kind: 'kind', amount: 'amount', currency: 'currency' },
  kinds: { payment: 'payment', refund: 'refund' },
};

export interface SettlementDeps {
  readonly connection: Connection;
  readonly provider: FaultsProvider;
  readonly gone: readonly Played[];
  readonly lostRefunds: readonly Played[];
  /** Folder for the files. */
  readonly folder: string;
  /** Environment with which the command finds the database. */
  readonly env: Readonly<Record<string, string>>;
}

/** Every charge and refund of the provider that the restored database lacks must be reported, and nothing else. */
export async function* settlementProblems(settled: SettlementDeps): AsyncGenerator<string> {
  const { connection, provider, gone, lostRefunds, folder, env } = settled;
  const [file, mappingFile, csv] = ['provider.csv', 'mapping.yaml', 'differences.csv'].map((name) =>
    join(folder, name),
  );
  const charges = [...provider.charges].map(([reference, { amount }]) => `${reference},,payment,${amount},EUR`);
  const refunds = [...provider.refunds].map(([own, { charge, amount }]) => `${charge},${own},refund,${amount},EUR`);
  await writeFile(file!, ['reference,refund,kind,amount,currency', ...charges, ...refunds].join('\n'));
  await writeFile(mappingFile!, JSON.stringify(mapping));
  const words = ['settle', file!, '--mapping', mappingFile!, '--env', 'sandbox', '--csv', csv!];
  const { out, problems } = await runGateway(words, join(folder, 'settle'), env).ended;
  console.log(out.trim().split('\n').slice(-4).join('\n'));
  const lines = (await readFile(csv!, 'utf8').catch(() => '')).trim().split('\r\n').slice(1);
  if (lines.length === 0) yield `paywright settle found nothing: ${problems.join(' ')}`;

  const found = new Set<string>();
  for (const [kind, row, , , reference] of lines.map((line) => line.split(','))) {
    if (kind === 'missing_here') found.add(`${row} ${reference}`);
    else yield `paywright settle: ${kind} of ${row} ${reference}`;
  }
  const payments = connection.collection<{ readonly _id: number; readonly refunds: readonly unknown[] }>(
    'paymentRequests',
  );
  for (const { id } of gone)
    if (!found.has(`payment GW-${id}-1`) && !(await payments.findOne({ _id: id })))
      yield `paywright settle does not name the lost payment ${id}`;
  for (const { id } of lostRefunds)
    if (!found.has(`refund GW-${id}-1`) && !(await payments.findOne({ _id: id, 'refunds.0': { $exists: true } })))
      yield `paywright settle does not name the lost refund of ${id}`;
}
