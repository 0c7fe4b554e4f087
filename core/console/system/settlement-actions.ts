/** Actions of operators on settlement files: upload, choose the columns, compare, discard. */
import { invalidField } from '../../base/errors.ts';
import { readTime } from '../../html/components/query.ts';
import {
  columnNames,
  readMapping,
  rowKinds,
  SettlementProblem,
  type Mapping,
  type RowKind,
} from '../../settlement/index.ts';
import type { ConsoleAction } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FormValues } from '../kit/form-values.ts';
import { toEnvironment } from '../../engine/access/index.ts';
import { environmentOf } from '../merchants/merchants.ts';
import type { ComparedSpan, SettlementUpload } from './settlement-uploads.ts';

export const settlementPath = '/ops/settlement';
export const uploadsPath = `${settlementPath}/uploads`;

/** A larger file is compared with the command, which reads it from disk. */
export const largestFile = 64 * 1024 * 1024;

const toUpload = (_: ConsoleDeps, id: string): string => `${uploadsPath}/${encodeURIComponent(id)}`;

export const settlementActions: readonly ConsoleAction[] = [
  {
    path: uploadsPath,
    section: 'settlement',
    role: 'support',
    upload: { field: 'file', limitBytes: largestFile },
    label: 'Upload',
    run: async ({ accounts, adapters, settlementUploads }, _by, _id, values, { stored }) => {
      if (!stored) throw invalidField('file', '', 'choose the file to compare');
      const { adapter = '', account = '', mapping = '' } = values;
      if (!adapters.get(adapter)) throw invalidField('adapter', adapter, 'choose the provider of the file');
      const isKnown = account === '' || (await accounts.list(adapter)).some((one) => one.account === account);
      if (!isKnown) throw invalidField('account', account, 'is not an account of this provider');
      const environment = toEnvironment(environmentOf(values));
      const id = await settlementUploads.add(stored, {
        adapter,
        ...(account !== '' && { account }),
        environment,
        mappingText: mapping,
      });
      return { leadsTo: `${uploadsPath}/${id}` };
    },
    back: () => settlementPath,
  },
  {
    path: `${uploadsPath}/:id/columns`,
    section: 'settlement',
    role: 'support',
    label: 'Show the rows',
    run: async ({ settlementUploads }, _, id, values) => {
      settlementUploads.choose(id, mappingOf(settlementUploads.get(id), values));
      return { leadsTo: `${uploadsPath}/${encodeURIComponent(id)}` };
    },
    back: toUpload,
  },
  {
    path: `${uploadsPath}/:id/compare`,
    section: 'settlement',
    role: 'support',
    label: 'Compare',
    run: async ({ settlementUploads }, by, id, values) => {
      const { chosen } = settlementUploads.get(id);
      if (chosen.from === 'guess') throw invalidField('columns', '', 'choose the columns of the file first');
      settlementUploads.compare(by, id, chosen.mapping, spanOf(values));
      return { leadsTo: `${uploadsPath}/${encodeURIComponent(id)}` };
    },
    back: toUpload,
  },
  {
    path: `${uploadsPath}/:id/discard`,
    section: 'settlement',
    role: 'support',
    label: 'Discard',
    done: 'File discarded. Nothing was compared.',
    run: async ({ settlementUploads }, _, id) => settlementUploads.discard(id),
    back: () => settlementPath,
  },
];

function spanOf({ from = '', to = '' }: FormValues): ComparedSpan {
  const [start, end] = [readTime(from === '' ? undefined : from), readTime(to === '' ? undefined : to)];
  if (start === null) throw invalidField('from', from, 'must be like 2026-01-31T12:00');
  if (end === null) throw invalidField('to', to, 'must be like 2026-01-31T12:00');
  if ((start === undefined) !== (end === undefined))
    throw invalidField(start ? 'to' : 'from', '', 'give both times, or none');
  if (start && end && start >= end) throw invalidField('to', to, 'must be after the start');
  return { from: start, to: end };
}

/** The name of the field for the n-th value of the kind column. The values themselves may contain anything. */
export function kindField(at: number): string {
  return `kind.${at}`;
}

/** Throws VAL002 next to the field that is wrong. */
function mappingOf({ inspected, adapter }: SettlementUpload, values: FormValues): Mapping {
  const columns = Object.fromEntries(
    columnNames.flatMap((name) => {
      const column = values[`column.${name}`] ?? '';
      return column === '' ? [] : [[name, column] as const];
    }),
  );
  for (const name of ['amount', 'currency'] as const)
    if (columns[name] === undefined) throw invalidField(`column.${name}`, '', 'choose a column');
  if (columns['reference'] === undefined && columns['providerReference'] === undefined)
    throw invalidField('column.reference', '', 'choose one of the two references: without one no payment can be found');
  const words = inspected.columns.find(({ name }) => name === columns['kind'])?.values ?? [];
  const kinds: Partial<Record<RowKind | 'ignored', string[]>> = {};
  for (const [at, word] of words.entries()) {
    const kind = [...rowKinds, 'ignored' as const].find((one) => one === values[kindField(at)]);
    // Another column was chosen: its values are asked for next.
    if (kind) (kinds[kind] ??= []).push(word);
  }
  const { decimalMark, amountUnit, dateFormat = '', timeZone = '', isWhole } = values;
  const mapping = {
    adapter,
    ...(decimalMark && { decimalMark }),
    ...(amountUnit && { amountUnit }),
    ...(dateFormat !== '' && { dateFormat }),
    ...(timeZone !== '' && { timeZone }),
    ...(isWhole === 'yes' && columns['date'] !== undefined && { span: 'dates' }),
    columns,
    ...(columns['kind'] !== undefined && { kinds }),
  };
  try {
    return readMapping(mapping, 'columns');
  } catch (error) {
    if (!(error instanceof SettlementProblem)) throw error;
    const [problem = ''] = error.problems;
    const field = /^columns: (dateFormat|timeZone|decimalMark|amountUnit):/.exec(problem)?.[1] ?? 'columns';
    throw invalidField(field, '', problem.replace(/^columns: (\w+: )?/, ''));
  }
}
