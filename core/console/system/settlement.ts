/** Settlement: what providers' files and our payments differ by. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notFound } from '../../base/errors.ts';
import { moneyText } from '../../base/text/money-text.ts';
import { badge, fact, maskedText, time, noWrap, type Cell } from '../../html/dashboard/parts.ts';
import { paymentLink } from '../payments/payment-link.ts';
import type { Query } from '../../html/dashboard/query.ts';
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
      caption: 'Compared files, the latest first',
      head: ['Compared', 'Adapter', 'Mode', 'File', 'From', 'To', 'Rows', 'Agree', 'Differences', 'By'],
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
      empty: 'No file was compared yet.',
    },
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

/** Throws NF001 where there is none. */
export async function settlementRunPage({ settlements }: ConsoleDeps, id: string, table: ShowTable): Promise<SafeHtml> {
  const run = await settlements.get(id);
  if (!run) throw notFound('a comparison of this id');
  const { differences, differenceCount, comparesFees, from } = run;
  return html`<p>
      ${stateOf(run)} ${run.file} of ${run.adapter}, ${run.environment} payments, compared ${time(run.startedAt)} by
      ${run.by}.
    </p>
    <dl class="facts">
      ${fact('Rows', run.rows)} ${fact('Ignored', run.ignoredRows)} ${fact('Agree', run.agreeing)}
      ${differenceKinds.map((kind) => fact(kind.replace('_', ' '), run.counts[kind] ?? 0))}
    </dl>
    ${
      from === null
        ? html`<p class="note">
            What the file lacks was not looked for: <code>--from</code> and <code>--to</code>, or
            <code>span: dates</code> of the mapping, say what it holds.
          </p>`
        : html`<p>What the file lacks was looked for from ${time(from)} to ${time(run.to)}.</p>`
    }
    ${comparesFees ? null : html`<p>Fees were not compared: config has no fee of ${run.adapter}, or the mapping none.</p>`}
    ${table('differences', {
      caption:
        differences.length < differenceCount
          ? `The first ${differences.length} of ${differenceCount} differences`
          : 'Differences',
      head: ['Difference', 'Of', 'Line', 'Payment', 'Reference', "Provider's", 'Here', 'There', 'Note'],
      rows: differences.map(cellsOf),
      empty: 'Nothing differs.',
      ...(differences.length < differenceCount && {
        rest: { text: `The first ${differences.length} of ${differenceCount}: paywright settle --csv writes all.` },
      }),
    })}
    ${command}`;
}

function stateOf({ differenceCount, isLatest }: SettlementSummary): SafeHtml {
  if (differenceCount === 0) return badge('resolved');
  return isLatest
    ? html`<span class="badge bad">${differenceCount}</span>`
    : html`${differenceCount} <small>compared again since</small>`;
}

function cellsOf(one: SettlementDifference): Cell[] {
  return [
    one.kind.replace('_', ' '),
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
