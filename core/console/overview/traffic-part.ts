/** Shows the throughput of the last hour: in total, and by provider. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { chart, seriesLooks } from '../kit/chart.ts';
import { boundedCount } from '../kit/bounded-count.ts';
import type { ConsoleDeps } from '../deps.ts';
import {
  minuteFigures,
  providerFigures,
  providerMinutes,
  type MinuteFigures,
  type ProviderFigures,
} from './figures.ts';
import type { ShowTable } from '../kit/listing.ts';
import { providerLink, providerText } from '../payments/payment-cells.ts';
import { badge, fold, time, type Cell, type Table } from '../../html/components/parts.ts';
import type { Traffic } from '../listener/traffic.ts';

export async function trafficPart({ traffic }: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const minutes = minuteFigures(await traffic());
  if (minutes.every(({ callbacks, submissions, deliveries }) => callbacks + submissions + deliveries === 0))
    return html`<p class="empty">No callbacks, submissions or deliveries in the last hour.</p>`;
  return html`<div class="tiles">
      ${tile('Callbacks', minutes, 'callbacks')} ${tile('Submissions', minutes, 'submissions')}
      ${tile('Deliveries', minutes, 'deliveries')}
    </div>
    <details>
      <summary>Show as a table</summary>
      ${table('minutes', minutesTable(minutes))}
    </details>`;
}

export async function providersPart(deps: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const [recent, { states }, open] = await Promise.all([
    deps.traffic(),
    deps.adapterStates.read(),
    deps.attemptsOpen(),
  ]);
  const openAt = new Map(open.map(({ provider, count }) => [provider, count]));
  const providers = Object.entries(states).map(([name, state]) => {
    return { name, state, figures: providerFigures(recent, name), open: openAt.get(name) ?? 0 };
  });
  const busy = providers.filter(isBusy);
  const idle = providers.length - busy.length;
  return html`${table('providers', {
    caption: 'Providers in the last hour',
    head: [
      'Provider',
      'State',
      ...['Submissions', 'Success rate', 'Calls', 'Failed calls', 'Latency p95', 'Open attempts'].map((name) => {
        return { name, kind: 'number' } as const;
      }),
    ],
    rows: busy.map(({ name, state, figures, open: attempts }) => [
      providerLink(deps, name),
      badge(state),
      ...figureCells(figures),
      boundedCount(attempts),
    ]),
    empty: 'No adapter was active in the last hour.',
    ...(idle > 0 && {
      rest: { text: `Idle in the last hour: ${idle} more.`, path: '/ops/adapters' },
    }),
  })}
  ${providerCharts(
    recent,
    busy.map((one) => ({ ...one, title: providerText(deps, one.name) })),
    table,
  )}`;
}

/** Shows the busiest providers, as many as a chart can distinguish. */
function providerCharts(
  recent: Traffic,
  providers: readonly { readonly name: string; readonly title: string; readonly figures: ProviderFigures }[],
  table: ShowTable,
): SafeHtml | null {
  const shown = providers
    .filter(({ figures }) => figures.calls > 0 || figures.successRate !== undefined)
    .toSorted((one, other) => other.figures.calls - one.figures.calls)
    .slice(0, seriesLooks)
    .map(({ name, title }) => ({ name: title, minutes: providerMinutes(recent, name) }));
  if (shown.length === 0) return null;
  const at = recent.minutes.map((one) => one.at);
  return fold(
    'Success rate and latency over time',
    html`<div class="tiles more">
        <section class="tile">
          <h3>Success rate of finished attempts</h3>
          ${chart({
            label: 'Success rate by provider',
            at,
            series: shown.map(({ name, minutes }) => ({ name, values: minutes.map((one) => one.successRate) })),
            textOf: percent,
            top: 1,
          })}
        </section>
        <section class="tile">
          <h3>Call latency p95</h3>
          ${chart({
            label: 'Latency p95 by provider',
            at,
            series: shown.map(({ name, minutes }) => ({ name, values: minutes.map((one) => one.p95Ms) })),
            textOf: milliseconds,
          })}
        </section>
      </div>
      <details>
        <summary>Show as a table</summary>
        ${table('provider-minutes', {
          caption: 'Providers by minute, latest first',
          head: ['Minute', ...shown.flatMap(({ name }) => [`${name} success rate`, `${name} latency p95`])],
          rows: at
            .map((minute, index) => [
              time(minute),
              ...shown.flatMap(({ minutes }) => [
                percent(minutes[index]?.successRate),
                milliseconds(minutes[index]?.p95Ms),
              ]),
            ])
            .toReversed(),
          empty: '',
        })}
      </details>`,
  );
}

/** True if the adapter has work or had some in the last hour, or drains: then it is about to be turned off. */
function isBusy({
  state,
  figures,
  open,
}: {
  readonly state: string;
  readonly figures: ProviderFigures;
  readonly open: number;
}): boolean {
  const { submissions, calls, callbacks } = figures;
  return state === 'draining' || submissions + calls + callbacks + open > 0;
}

function tile(
  label: string,
  minutes: readonly MinuteFigures[],
  name: 'callbacks' | 'submissions' | 'deliveries',
): SafeHtml {
  const values = minutes.map((one) => one[name]);
  const hour = values.reduce((sum, value) => sum + value, 0);
  return html`<section class="tile">
    <h3>${label}</h3>
    <p class="figure">${values.at(-1) ?? 0} <small>in the last full minute</small></p>
    ${chart({
      label: `${label} per minute`,
      at: minutes.map((one) => one.at),
      series: [{ name: label, values }],
      textOf: String,
      isBars: true,
    })}
    <p><small>${hour} in the last hour</small></p>
  </section>`;
}

function minutesTable(minutes: readonly MinuteFigures[]): Table {
  return {
    caption: 'By minute, latest first',
    head: ['Minute', 'Callbacks', 'Submissions', 'Deliveries'],
    rows: minutes
      .toReversed()
      .map(({ at, callbacks, submissions, deliveries }) => [time(at), callbacks, submissions, deliveries]),
    empty: '',
  };
}

/** The cells of the submissions, the success rate, the calls, the failed calls, and the latency. */
export function figureCells({ submissions, successRate, calls, errorRate, p95Ms }: ProviderFigures): Cell[] {
  return [submissions, percent(successRate), calls, percent(errorRate), milliseconds(p95Ms)];
}

export function percent(rate: number | undefined): string {
  return rate === undefined ? '–' : `${(rate * 100).toFixed(1)} %`;
}

function milliseconds(ms: number | undefined): string {
  return ms === undefined ? '–' : `${ms} ms`;
}
