/** Settlement: the differences between providers' files and our payments. */
import { addDecimals } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { notFound } from '../../base/errors.ts';
import { groupBy } from '../../base/group-by.ts';
import { signedDifference } from '../../base/signed-difference.ts';
import { capitalise } from '../../base/text/capitalise.ts';
import {
  badge,
  details,
  emptyState,
  linkButton,
  maskedText,
  money,
  note,
  sectionHead,
  stats,
  time,
  toWords,
  type Cell,
} from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import {
  differenceCountText,
  differenceKinds,
  differenceTexts,
  feesText,
  type DifferenceKind,
  type SettlementDifference,
  type SettlementRun,
  type SettlementSummary,
} from '../../settlement/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionForm, isAllowed } from '../kit/action-form.ts';
import type { Listing, ShowTable } from '../kit/listing.ts';
import { modeText } from '../merchants/merchants.ts';
import { accountLink, providerLink, providerText } from '../payments/payment-cells.ts';
import { paymentLink } from '../payments/payment-link.ts';
import type { Session } from '../sign-in/session.ts';
import { settlementPath, uploadsPath } from './settlement-actions.ts';
import { spanFields } from './settlement-upload.ts';

const perPage = 100;
const newRun = { label: 'Compare a file', path: `${settlementPath}/new` } as const;

export async function settlementPage(
  deps: ConsoleDeps,
  { operator }: Session,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const { cursor } = query;
  const { items, nextCursor } = await deps.settlements.list({ limit: rows, ...(cursor !== undefined && { cursor }) });
  const canCompare = isAllowed(operator.role, 'support');
  return {
    before: html`<p>Compare the settlement file of a provider with the payments of the gateway.</p>`,
    primary: canCompare ? linkButton(newRun.label, newRun.path) : null,
    table: {
      caption: 'Compared files, latest first',
      head: [
        { name: 'File', kind: 'long' },
        'Provider',
        'Mode',
        { name: 'Compared', kind: 'short' },
        'Result',
        'Rows',
        'Matching',
        { name: 'From', kind: 'short' },
        { name: 'To', kind: 'short' },
        'By',
      ],
      rows: items.map((run) => [
        html`<a href="${settlementPath}/${run._id}">${run.file}</a>`,
        providerAndAccount(deps, run),
        modeText(run.environment),
        time(run.startedAt),
        stateOf(run),
        run.rows,
        run.agreeing,
        time(run.from, { exact: true }),
        time(run.to, { exact: true }),
        nameOf(run.by),
      ]),
      empty: emptyState({
        title: 'No file has been compared yet',
        text: 'Download a settlement report from the provider, and compare it here.',
        action: canCompare ? newRun : null,
      }),
    },
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

/** Throws NF001 if the comparison does not exist. */
export async function settlementRunPage(
  deps: ConsoleDeps,
  id: string,
  session: Session,
  table: ShowTable,
): Promise<SafeHtml> {
  const run = await deps.settlements.get(id);
  if (!run) throw notFound('a comparison of this id');
  const { differences, differenceCount, counts, comparesFees, from, to } = run;
  const found = differenceKinds
    .filter((kind) => counts[kind] !== undefined)
    .toSorted((one, other) => places[one] - places[other]);
  const isCut = differences.length < differenceCount;
  return html`${stats([
    {
      label: 'Differences',
      value: differenceCount,
      look: differenceCount === 0 ? 'good' : 'bad',
      note: run.isLatest ? null : 'compared again later',
    },
    { label: 'Matching', value: run.agreeing },
    { label: 'Rows in the file', value: run.rows, note: `${run.ignoredRows} ignored` },
  ])}
  ${details([
    ['File', run.file],
    ['Provider', providerLink(deps, run.adapter)],
    ['Account', run.account === undefined ? 'all accounts' : accountLink(run.adapter, run.account)],
    ['Payments', `${modeText(run.environment)} payments`],
    ['Compared', html`${time(run.startedAt)} by ${nameOf(run.by)}`],
    [
      'Payments that are not in the file',
      from === null
        ? 'not looked for: the period of the file is unknown'
        : html`looked for from ${time(from, { exact: true })} to ${time(to, { exact: true })}`,
    ],
    ['Fees', comparesFees ? 'compared' : `not compared: ${feesText(run)}`],
  ])}
  ${from === null ? againPart(deps, run, session) : null}
  ${isCut ? note('warn', `The first ${differences.length} of ${differenceCount} differences are shown. Write all with: paywright settle --csv`) : null}
  ${found.length === 0 ? note('good', 'No differences. Every row of the file matches.') : null}
  ${found.map((kind) => kindPart(run, kind, table))}`;
}

/** Payments that the file lacks can only be found in a period. */
function againPart({ settlementUploads }: ConsoleDeps, { _id }: SettlementRun, session: Session): SafeHtml {
  const upload = settlementUploads.ofResult(_id);
  const said = 'Payments that the file lacks were not looked for, because its period is unknown.';
  if (!upload)
    return note('warn', html`${said} Give the period when you <a href="${newRun.path}">compare the file again</a>.`);
  return html`${note('warn', `${said} Give the period, and compare the file again.`)}
  ${actionForm(session, 'support', {
    action: `${uploadsPath}/${upload.id}/compare`,
    label: 'Compare again',
    fields: spanFields(),
  })}`;
}

/** Wrong money first; what the next file may have last. */
const places: Readonly<Record<DifferenceKind, number>> = {
  amount: 1,
  currency: 2,
  fee: 3,
  missing_here: 4,
  missing_there: 5,
};

/** The differences of one kind, what the kind means and what to do about it. */
function kindPart({ counts, differences }: SettlementRun, kind: DifferenceKind, table: ShowTable): SafeHtml {
  const { name, meaning, cure } = differenceTexts[kind];
  const own = differences.filter((one) => one.kind === kind);
  const isComplete = own.length === counts[kind];
  const comparesSums = kind === 'amount' || kind === 'fee';
  return html`${sectionHead(`${name} (${counts[kind] ?? 0})`, isComplete ? sumsOf(kind, own) : null)}
    <p>${meaning}</p>
    <p><strong>What to do:</strong> ${cure}</p>
    ${table(name.toLowerCase().replaceAll(' ', '-'), {
      caption: name,
      head: [
        'Payment',
        'Type',
        { name: 'Gateway', kind: 'number' },
        { name: 'File', kind: 'number' },
        ...(comparesSums ? [{ name: 'Difference', kind: 'number' } as const] : []),
        { name: 'Reference', kind: 'short' },
        { name: 'Provider reference', kind: 'short' },
        'Line',
        { name: 'Note', kind: 'long' },
      ],
      rows: own.map((one) => cellsOf(one, comparesSums)),
      empty: 'All of them are beyond the first differences.',
    })}`;
}

/** What only one side has, or what the file has more, for each type of movement and each currency. */
function sumsOf(kind: DifferenceKind, all: readonly SettlementDifference[]): SafeHtml | null {
  if (kind === 'currency') return null;
  const sums = [...groupBy(all, ({ row, ...one }) => `${row} ${currencyOf(one)}`).values()].map((same) => {
    const { row } = same[0]!;
    const currency = currencyOf(same[0]!);
    if (currency === null) return null;
    const here = addDecimals(...same.map(({ hereAmount }) => hereAmount ?? '0'));
    const there = addDecimals(...same.map(({ thereAmount }) => thereAmount ?? '0'));
    const sum = kind === 'missing_there' ? here : signedDifference(there, here);
    return html`<span>${capitalise(toWords(row))}: <strong>${money(sum, currency)}</strong></span> `;
  });
  return html`<div>${sums}</div>`;
}

function currencyOf({
  hereCurrency,
  thereCurrency,
}: Pick<SettlementDifference, 'hereCurrency' | 'thereCurrency'>): string | null {
  return thereCurrency ?? hereCurrency;
}

function stateOf({ differenceCount, isLatest }: SettlementSummary): SafeHtml {
  if (differenceCount === 0) return badge('no differences', 'good');
  const text = differenceCountText(differenceCount);
  return isLatest ? badge(text, 'bad') : html`${badge(text, 'calm')} <small>compared again later</small>`;
}

/** The name of the operator without the id of the key. */
function nameOf(by: string): string {
  return by.replace(/ \(op_[\da-f]{16}\)$/, '');
}

/** What the file has more than the gateway; below 0, what it has less. */
function differenceCell({ hereAmount, thereAmount, thereCurrency }: SettlementDifference): Cell {
  return hereAmount === null || thereAmount === null
    ? '–'
    : moneyOf(signedDifference(thereAmount, hereAmount), thereCurrency);
}

function cellsOf(one: SettlementDifference, comparesSums: boolean): Cell[] {
  return [
    one.paymentId === null ? '–' : paymentLink(one.paymentId),
    toWords(one.row),
    moneyOf(one.hereAmount, one.hereCurrency),
    moneyOf(one.thereAmount, one.thereCurrency),
    ...(comparesSums ? [differenceCell(one)] : []),
    maskedText(one.reference),
    maskedText(one.providerReference),
    one.line ?? '–',
    one.note,
  ];
}

function moneyOf(amount: string | null, currency: string | null): Cell {
  return amount === null || currency === null ? '–' : money(amount, currency);
}

function providerAndAccount(
  deps: ConsoleDeps,
  { adapter, account }: Pick<SettlementSummary, 'adapter' | 'account'>,
): string {
  const provider = providerText(deps, adapter);
  return account === undefined ? provider : `${provider}, ${account}`;
}
