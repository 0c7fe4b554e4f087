/** Adapters: their states, their activity, and whether every process uses the current states. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { adapterOf } from '../../engine/alarms/index.ts';
import type { ListedAccount } from '../../engine/providers/index.ts';
import { notFound } from '../../base/errors.ts';
import { isTruncated, boundedCount } from '../kit/bounded-count.ts';
import type { ConsoleDeps } from '../deps.ts';
import { providerFigures, type ProviderFigures } from '../overview/figures.ts';
import type { ShowTable } from '../kit/listing.ts';
import {
  badge,
  emptyState,
  fold,
  linkButton,
  live,
  money,
  sectionHead,
  stats,
  time,
  type Cell,
} from '../../html/components/parts.ts';
import { refusedTable } from '../messages/refused-callbacks.ts';
import { adapterFacts } from './adapter-facts.ts';
import { openAlarmsTable, readAlarms } from './open-alarms.ts';
import { stateForm } from './state-form.ts';
import { groupBy } from '../../base/group-by.ts';
import { actionForm, isAllowed } from '../kit/action-form.ts';
import { accountLink, providerLink, providerText } from '../payments/payment-cells.ts';
import type { Session } from '../sign-in/session.ts';

/** Changes of one version are one row, so that the first start is not a row for each adapter. */
const readChanges = 100;
const shownChanges = 20;
/** More changes of one version than this are one row. */
const separateChanges = 3;
const path = '/ops/adapters';

export async function adaptersPage(deps: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const { adapterStates, adapters, attemptsOpen, traffic, alarms } = deps;
  const [{ version, states }, running, changes, open, recent, raised] = await Promise.all([
    adapterStates.read(),
    adapterStates.running(),
    adapterStates.changes(readChanges),
    attemptsOpen(),
    traffic(),
    alarms.list(readAlarms),
  ]);
  const openAt = new Map(open.map(({ provider, count }) => [provider, count]));
  const behind = running.filter((one) => one.version < version);
  const rowsOfChanges = changeRows(deps, changes);
  const alarmsOf = (name: string): number =>
    raised.filter(({ subject }) => subject.type === 'adapter' && adapterOf(subject) === name).length;
  return html`${
    behind.length === 0
      ? null
      : table('behind', {
          caption: 'Processes with outdated adapter states',
          head: ['Process', 'Version', 'Reason'],
          rows: behind.map(({ _id, version: theirs, problem }) => [_id, theirs, problem || 'it has not checked yet']),
          empty: '',
        })
  }
  ${table('adapters', {
    caption: 'Adapters, with their activity in the last hour',
    head: [
      'Provider',
      'State',
      'Modes',
      'Connection',
      { name: 'Open attempts', kind: 'number' },
      { name: 'Success rate', kind: 'number' },
      { name: 'Calls', kind: 'number' },
      { name: 'Failed calls', kind: 'number' },
      { name: 'Latency p95', kind: 'number' },
      { name: 'Last success', kind: 'short' },
    ],
    rows: Object.entries(states).map(([name, state]) => {
      const figures = providerFigures(recent, name);
      const facts = adapters.get(name)?.manifest;
      return [
        html`${providerLink(deps, name)} <small>${name}</small>`,
        badge(state),
        facts ? facts.modes.join(', ') : '–',
        state === 'off' ? '–' : healthBadge(figures, alarmsOf(name)),
        boundedCount(openAt.get(name) ?? 0),
        percent(figures.successRate),
        figures.calls,
        percent(figures.errorRate),
        milliseconds(figures.p95Ms),
        time(lastSuccessOf(recent, name)),
      ];
    }),
    empty: emptyState({ title: 'No adapter is configured', text: 'Adapters are listed in the config file.' }),
  })}
  ${sectionHead('Changes')}
  ${table('changes', {
    caption: 'Changes of state, newest first',
    head: [
      { name: 'When', kind: 'short' },
      { name: 'Provider', kind: 'short' },
      'From',
      'To',
      { name: 'By', kind: 'short' },
      { name: 'Reason', kind: 'long' },
    ],
    rows: rowsOfChanges.slice(0, shownChanges),
    empty: 'No state was ever changed.',
    ...(rowsOfChanges.length > shownChanges && {
      rest: { text: `Only the newest ${shownChanges} are shown.`, path: '/ops/audit?act=adapter.state' },
    }),
  })}`;
}

type Change = Awaited<ReturnType<ConsoleDeps['adapterStates']['changes']>>[number];

/** One row for each change, and one for all adapters that changed together, as at the first start. */
function changeRows(deps: Pick<ConsoleDeps, 'adapters'>, changes: readonly Change[]): readonly (readonly Cell[])[] {
  return [...groupBy(changes, ({ version }) => String(version)).values()].flatMap((all): (readonly Cell[])[] => {
    if (all.length <= separateChanges)
      return all.map((one) => [
        time(one.at),
        providerText(deps, one.adapter),
        one.from ?? '–',
        one.to,
        ...whyCells(one),
      ]);
    const [first] = all;
    const [from, to] = (['from', 'to'] as const).map((side) =>
      [...groupBy(all, (one) => one[side] ?? '–')].map(([state, same]) => `${same.length} ${state}`).join(', '),
    );
    const names = all.map(({ adapter }) => providerText(deps, adapter)).join(', ');
    return [
      [
        time(first!.at),
        fold(`${all.length} providers`, html`${names}`),
        all.every((one) => one.from === null) ? '–' : from!,
        to!,
        ...whyCells(first!),
      ],
    ];
  });
}

function whyCells({ by, reason }: Change): readonly Cell[] {
  return by === 'file' ? ['config file', '–'] : ['operator', reason];
}

/** Only says whether calls reach the provider: whether its payments succeed is another column. */
function healthBadge({ calls, errorRate = 0 }: ProviderFigures, alarms: number): SafeHtml {
  if (alarms > 0) return badge(alarms === 1 ? '1 alarm' : `${alarms} alarms`, 'bad');
  if (errorRate > 0.05) return badge('calls fail', 'warn');
  return calls > 0 ? badge('reachable', 'good') : badge('idle', 'calm');
}

/** The last minute of the last hour in which an attempt succeeded. */
function lastSuccessOf({ minutes }: Awaited<ReturnType<ConsoleDeps['traffic']>>, name: string): Date | undefined {
  return minutes.findLast(({ counts }) => (counts[`ended|${name}|succeeded`] ?? 0) > 0)?.at;
}

function percent(share: number | undefined): Cell {
  return share === undefined ? '–' : html`<data value="${share}">${(share * 100).toFixed(1)} %</data>`;
}

function milliseconds(ms: number | undefined): Cell {
  return ms === undefined ? '–' : html`<data value="${ms}">${ms} ms</data>`;
}

/** The title of an adapter's page: the provider's name. */
export function adapterTitle({ adapters }: ConsoleDeps, name: string): string {
  return `${adapters.title(name)} (${name})`;
}

/** Throws NF001 if the adapter does not exist. */
export async function adapterPage(
  deps: ConsoleDeps,
  name: string,
  session: Session,
  table: ShowTable,
): Promise<{ readonly body: SafeHtml; readonly primary: SafeHtml | null }> {
  const { adapterStates, adapters, hosts, refusedCallbacks } = deps;
  const { states } = await adapterStates.read();
  const state = Object.hasOwn(states, name) ? states[name] : undefined;
  if (state === undefined) throw notFound('an adapter of this name');
  const caption = 'Open alarms about this adapter';
  const [alarms, alive, refused] = await Promise.all([
    openAlarmsTable(deps, (subject) => adapterOf(subject) === name, { caption, table }),
    hosts(),
    refusedCallbacks(name),
  ]);
  const facts = adapters.get(name);
  const versions = new Set(
    alive.flatMap((host) => host.adapters.filter((one) => one.name === name).map((one) => one.version)),
  );
  const check =
    state === 'off'
      ? null
      : actionForm(session, 'support', {
          action: `${path}/${name}/check`,
          label: 'Check connection and account',
          isMain: true,
        });
  const body = html`${live(
      'figures',
      html`<p class="lead">
          ${badge(state)} ${facts?.package ?? 'not in config'}${facts?.manifest ? `, code ${facts.manifest.code}` : ''},
          version ${[...versions].join(', ') || 'unknown'}. <a href="#turn">Turn on or off</a>
        </p>
        ${alarms} ${sectionHead('Last hour')} ${await figureTiles(deps, name)}`,
    )}
    ${accountsPart(await deps.accounts.list(facts ? name : undefined), session, name, table)}
    ${facts ? adapterFacts(deps, name, facts, { session, table }) : null} ${sectionHead('Refused callbacks')}
    ${table('refused', refusedTable(deps, refused, true))}
    <div id="turn">${sectionHead('Turn on or off')} ${stateForm(session, `${path}/${name}`, state)}</div>`;
  return { body, primary: check };
}

/** An adapter whose only account is `main` has nothing to list. */
function accountsPart(
  listed: readonly ListedAccount[],
  { operator }: Session,
  name: string,
  table: ShowTable,
): SafeHtml | null {
  const own = listed.filter(({ adapter }) => adapter === name);
  const add = isAllowed(operator.role, 'admin')
    ? linkButton('Add account', `${path}/${encodeURIComponent(name)}/accounts/new`, { isMain: false })
    : null;
  if (own.length < 2) {
    const text = 'The provider knows us under one account: main, the options of the adapter in config.';
    return (
      add &&
      html`${sectionHead('Accounts', add)}
        <p class="prose">${text}</p>`
    );
  }
  return html`${sectionHead('Accounts', add)}
  ${table('accounts', {
    caption: 'The accounts under which the provider knows us',
    head: ['Account', 'State', 'Currencies', { name: 'Merchants', kind: 'long' }, 'Described in'],
    rows: own.map(({ adapter, account, state, currencies, merchants, source }) => [
      accountLink(adapter, account),
      badge(state),
      currencies?.join(', ') ?? 'all that are open',
      merchants ? merchants.join(', ') || 'none' : 'every merchant',
      source === 'config' ? 'config files' : 'database',
    ]),
    empty: '',
  })}`;
}

async function figureTiles({ adapterStates, traffic }: ConsoleDeps, name: string): Promise<SafeHtml> {
  const [recent, open] = await Promise.all([traffic(), adapterStates.openAmounts(name)]);
  const figures = providerFigures(recent, name);
  const attempts = open.reduce((sum, one) => sum + one.attempts, 0);
  const isBounded = isTruncated(open.map((one) => ({ count: one.attempts })));
  const pending = open.map(({ amount, currency }) => html`${money(amount, currency)} ${isBounded ? 'or more ' : ''}`);
  return stats([
    {
      label: 'Open attempts',
      value: boundedCount(attempts, isBounded),
      note: html`${open.length === 0 ? 'nothing ' : pending}pending`,
    },
    { label: 'Success rate', value: percent(figures.successRate), note: `${figures.submissions} submissions` },
    { label: 'Failed calls', value: percent(figures.errorRate), note: `of ${figures.calls} calls` },
    { label: 'Latency p95', value: milliseconds(figures.p95Ms) },
    { label: 'Last success', value: time(lastSuccessOf(recent, name)), note: 'within the last hour' },
    {
      label: 'Callbacks',
      value: figures.callbacks,
      note: html`${figures.refusedCallbacks} refused, last ${time(figures.lastCallbackAt)}`,
      path: `/ops/callbacks?state=done&adapter=${name}`,
    },
    { label: 'Unknown statuses', value: figures.unknownStatuses },
  ]);
}
