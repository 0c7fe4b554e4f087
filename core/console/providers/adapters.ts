/** Adapters: their states, their activity, and whether every process uses the current states. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { adapterOf, alarmKinds } from '../../engine/alarms/index.ts';
import { notFound } from '../../base/errors.ts';
import { moneyText } from '../../base/text/money-text.ts';
import { isTruncated, boundedCount, orMore } from '../kit/bounded-count.ts';
import type { ConsoleDeps } from '../deps.ts';
import { providerFigures, type ProviderFigures } from '../overview/figures.ts';
import type { ShowTable } from '../kit/listing.ts';
import {
  badge,
  emptyState,
  live,
  sectionHead,
  stats,
  textField,
  time,
  type Cell,
} from '../../html/components/parts.ts';
import { requiredReason } from '../kit/buttons.ts';
import { refusedTable } from '../messages/refused-callbacks.ts';
import { stateLabels } from './adapter-actions.ts';
import { adapterFacts } from './adapter-facts.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Session } from '../sign-in/session.ts';

const shownChanges = 20;
const shownAlarms = 500;
const path = '/ops/adapters';

export async function adaptersPage(deps: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const { adapterStates, adapters, attemptsOpen, traffic, alarms } = deps;
  const [{ version, states }, running, changes, open, recent, raised] = await Promise.all([
    adapterStates.read(),
    adapterStates.running(),
    adapterStates.changes(shownChanges),
    attemptsOpen(),
    traffic(),
    alarms.list(shownAlarms),
  ]);
  const openAt = new Map(open.map(({ provider, count }) => [provider, count]));
  const behind = running.filter((one) => one.version < version);
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
      'Health',
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
        html`<a href="${path}/${name}">${facts?.title ?? name}</a>
          ${facts && facts.title !== name ? html`<small>${name}</small>` : null}`,
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
    head: ['When', { name: 'Adapter', kind: 'short' }, 'From', 'To', 'By', { name: 'Reason', kind: 'long' }],
    rows: changes.map(({ at, adapter, from, to, by, reason }) => [time(at), adapter, from ?? '–', to, by, reason]),
    empty: 'No state was ever changed.',
    ...(changes.length === shownChanges && {
      rest: { text: `Only the newest ${shownChanges} are shown.`, path: '/ops/audit?act=adapter.state' },
    }),
  })}`;
}

/** A provider with an open alarm, or with calls that fail, needs a look, also if its success rate is high. */
function healthBadge({ calls, errorRate = 0 }: ProviderFigures, alarms: number): SafeHtml {
  if (alarms > 0) return badge(alarms === 1 ? '1 alarm' : `${alarms} alarms`, 'bad');
  if (errorRate > 0.05) return badge('calls fail', 'warn');
  return calls > 0 ? badge('healthy', 'good') : badge('idle', 'calm');
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
  const title = adapters.get(name)?.manifest?.title;
  return title === undefined ? `Adapter ${name}` : `${title} (${name})`;
}

/** Throws NF001 if the adapter does not exist. */
export async function adapterPage(
  deps: ConsoleDeps,
  name: string,
  session: Session,
  table: ShowTable,
): Promise<{ readonly body: SafeHtml; readonly primary: SafeHtml | null }> {
  const { adapterStates, adapters, alarms, hosts, refusedCallbacks } = deps;
  const { states } = await adapterStates.read();
  const state = Object.hasOwn(states, name) ? states[name] : undefined;
  if (state === undefined) throw notFound('an adapter of this name');
  const [raised, alive, refused] = await Promise.all([alarms.list(shownAlarms), hosts(), refusedCallbacks(name)]);
  const facts = adapters.get(name);
  const about = raised.filter(({ subject }) => subject.type === 'adapter' && adapterOf(subject) === name);
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
          version ${[...versions].join(', ') || 'unknown'}
        </p>
        ${
          about.length === 0
            ? null
            : table('alarms', {
                caption: 'Open alarms about this adapter',
                head: ['Last raised', 'State', 'Count', { name: 'Problem', kind: 'long' }],
                rows: about.map(({ _id, kind, state: alarmState, count, lastSeenAt, reason }) => [
                  time(lastSeenAt),
                  badge(alarmState),
                  count,
                  html`<a href="/ops/alarms/${encodeURIComponent(_id)}">${alarmKinds[kind].title}</a>
                    <small>${reason}</small>`,
                ]),
                empty: '',
              })
        }
        ${sectionHead('Last hour')} ${await figureTiles(deps, name)}`,
    )}
    ${sectionHead('Turn on or off')}
    <div class="acts">${stateForms(session, name, state)}</div>
    ${facts ? adapterFacts(name, facts, session, table) : null} ${sectionHead('Refused callbacks')}
    ${table('refused', refusedTable(refused, true))}`;
  return { body, primary: check };
}

async function figureTiles({ adapterStates, traffic }: ConsoleDeps, name: string): Promise<SafeHtml> {
  const [recent, open] = await Promise.all([traffic(), adapterStates.openAmounts(name)]);
  const figures = providerFigures(recent, name);
  const attempts = open.reduce((sum, one) => sum + one.attempts, 0);
  const isBounded = isTruncated(open.map((one) => ({ count: one.attempts })));
  const money = open.map(({ amount, currency }) => moneyTextOf(amount, currency, isBounded)).join(', ') || 'none';
  return stats([
    { label: 'Open attempts', value: boundedCount(attempts, isBounded), note: `Pending amount: ${money}` },
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

function moneyTextOf(amount: string, currency: string, isBounded: boolean): string {
  const text = moneyText(amount, currency);
  return isBounded ? orMore(text) : text;
}

function stateForms(session: Session, name: string, state: keyof typeof stateLabels): (SafeHtml | null)[] {
  const others = (['on', 'draining', 'off'] as const).filter((one) => one !== state);
  return others.map((to) =>
    actionForm(session, 'admin', {
      action: `${path}/${name}/${to}`,
      label: stateLabels[to],
      fields: textField({ name: 'reason', label: requiredReason, isRequired: true }),
      isDangerous: to !== 'on',
    }),
  );
}
