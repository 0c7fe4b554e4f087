/** Settlement: the differences between providers' files and our payments. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notFound } from '../../base/errors.ts';
import { moneyText } from '../../base/text/money-text.ts';
import { badge, fact, maskedText, time, noWrap, type Cell } from '../../html/components/parts.ts';
import { paymentLink } from '../payments/payment-link.ts';
import type { Query } from '../../html/components/query.ts';
import { differenceKinds, type SettlementDifference, type SettlementSummary } from '../../settlement/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing, ShowTable } from '../kit/listing.ts';

const path = '/ops/settlement';
const perPage = 100;

const command = html`<p>
  <small
    ><code>paywright settle &lt;file&gt; --mapping &lt;file.yaml&gt;</code> compares a provider's settlement
    file.</small
  >
</p>`;

export async function settlementPage(
  { settlements }: ConsoleDeps,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const { cursor } = query;
  const { items, nextCursor } = await settlements.list({ limit: rows, ...(cursor !== undefined && { cursor }) });
  return {
    before: command,
    table: {
      caption: 'Compared files, latest first',
      head: ['Compared', 'Adapter', 'Mode', 'File', 'From', 'To', 'Rows', 'Matching', 'Differences', 'By'],
      rows: items.map((run) => [
        time(run.startedAt),
        run.adapter,
        run.environment,
        html`<a href="${path}/${run._id}">${run.file}</a>`,
        time(run.from),
        time(run.to),
        run.rows,
        run.agreeing,
        stateOf(run),
        run.by,
      ]),
      empty: 'No file has been compared yet.',
    },
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

/** Throws NF001 if the comparison does not exist. */
export async function settlementRunPage({ settlements }: ConsoleDeps, id: string, table: ShowTable): Promise<SafeHtml> {
  const run = await settlements.get(id);
  if (!run) throw notFound('a comparison of this id');
  const { differences, differenceCount, comparesFees, from } = run;
  return html`<p>
      ${stateOf(run)} ${run.file} of ${run.adapter}, ${run.environment} payments, compared ${time(run.startedAt)} by
      ${run.by}.
    </p>
    <dl class="facts">
      ${fact('Rows', run.rows)} ${fact('Ignored', run.ignoredRows)} ${fact('Matching', run.agreeing)}
      ${differenceKinds.map((kind) => fact(kindLabel(kind), run.counts[kind] ?? 0))}
    </dl>
    ${
      from === null
        ? html`<p class="note">
            Payments that are not in the file were not searched for, because the period of the file is unknown. Give it
            with <code>--from</code> and <code>--to</code>, or with <code>span: dates</code> in the mapping.
          </p>`
        : html`<p>Payments that are not in the file were searched for from ${time(from)} to ${time(run.to)}.</p>`
    }
    ${comparesFees ? null : html`<p>Fees were not compared: config has no fee for ${run.adapter}, or the mapping has no fee column.</p>`}
    ${table('differences', {
      caption:
        differences.length < differenceCount
          ? `The first ${differences.length} of ${differenceCount} differences`
          : 'Differences',
      head: [
        'Difference',
        'Type',
        'Line',
        'Payment',
        'Reference',
        'Provider reference',
        'Gateway amount',
        'File amount',
        'Note',
      ],
      rows: differences.map(cellsOf),
      empty: 'No differences.',
      ...(differences.length < differenceCount && {
        rest: {
          text: `The first ${differences.length} of ${differenceCount} are shown. Write all with: paywright settle --csv`,
        },
      }),
    })}
    ${command}`;
}

function stateOf({ differenceCount, isLatest }: SettlementSummary): SafeHtml {
  if (differenceCount === 0) return badge('resolved');
  return isLatest
    ? html`<span class="badge bad">${differenceCount}</span>`
    : html`${differenceCount} <small>compared again later</small>`;
}

function kindLabel(kind: SettlementDifference['kind']): string {
  if (kind === 'missing_here') return 'not in gateway';
  return kind === 'missing_there' ? 'not in file' : kind.replace('_', ' ');
}

function cellsOf(one: SettlementDifference): Cell[] {
  return [
    kindLabel(one.kind),
    one.row.replaceAll('_', ' '),
    one.line ?? '–',
    one.paymentId === null ? '–' : paymentLink(one.paymentId),
    maskedText(one.reference),
    maskedText(one.providerReference),
    moneyOf(one.hereAmount, one.hereCurrency),
    moneyOf(one.thereAmount, one.thereCurrency),
    one.note,
  ];
}

function moneyOf(amount: string | null, currency: string | null): Cell {
  return amount === null || currency === null ? '–' : noWrap(moneyText(amount, currency));
}
