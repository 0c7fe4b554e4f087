/** Adapters: their states, their activity, and whether every process uses the current states. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { adapterOf } from '../../engine/alarms/index.ts';
import { notFound } from '../../base/errors.ts';
import { moneyText } from '../../base/text/money-text.ts';
import type { Finding } from '../../engine/providers/index.ts';
import type { AdapterFacts } from './adapter-reads.ts';
import { isTruncated, boundedCount, orMore } from '../kit/bounded-count.ts';
import type { ConsoleDeps } from '../deps.ts';
import { providerFigures } from '../overview/figures.ts';
import type { ShowTable } from '../kit/listing.ts';
import { figureCells, percent } from '../overview/traffic-part.ts';
import { badge, fact, live, textField, time } from '../../html/components/parts.ts';
import { requiredReason } from '../kit/buttons.ts';
import { stateLabels } from './adapter-actions.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Session } from '../sign-in/session.ts';

const shownChanges = 20;
const shownAlarms = 500;
const path = '/ops/adapters';

export async function adaptersPage(deps: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const { adapterStates, attemptsOpen, traffic } = deps;
  const [{ version, states }, running, changes, open, recent] = await Promise.all([
    adapterStates.read(),
    adapterStates.running(),
    adapterStates.changes(shownChanges),
    attemptsOpen(),
    traffic(),
  ]);
  const openAt = new Map(open.map(({ provider, count }) => [provider, count]));
  const behind = running.filter((one) => one.version < version);
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
        'Adapter',
        'State',
        'Open attempts',
        'Submissions',
        'Success rate',
        'Calls',
        'Failed calls',
        'Latency p95',
        'Last callback',
      ],
      rows: Object.entries(states).map(([name, state]) => {
        const figures = providerFigures(recent, name);
        return [
          html`<a href="${path}/${name}">${name}</a>`,
          badge(state),
          boundedCount(openAt.get(name) ?? 0),
          ...figureCells(figures),
          time(figures.lastCallbackAt),
        ];
      }),
      empty: 'No adapter is configured.',
    })}
    <h2>Changes</h2>
    ${table('changes', {
      caption: 'Changes of state, newest first',
      head: ['When', 'Adapter', 'From', 'To', 'By', 'Reason'],
      rows: changes.map(({ at, adapter, from, to, by, reason }) => [time(at), adapter, from ?? '–', to, by, reason]),
      empty: 'No state was ever changed.',
      ...(changes.length === shownChanges && {
        rest: { text: `Only the newest ${shownChanges} are shown.`, path: '/ops/audit?act=adapter.state' },
      }),
    })}`;
}

/** Throws NF001 if the adapter does not exist. */
export async function adapterPage(
  deps: ConsoleDeps,
  name: string,
  session: Session,
  table: ShowTable,
): Promise<SafeHtml> {
  const { adapterStates, adapters, alarms, traffic, hosts } = deps;
  const { states } = await adapterStates.read();
  const state = Object.hasOwn(states, name) ? states[name] : undefined;
  if (state === undefined) throw notFound('an adapter of this name');
  const [recent, open, raised, alive] = await Promise.all([
    traffic(),
    adapterStates.openAmounts(name),
    alarms.list(shownAlarms),
    hosts(),
  ]);
  const figures = providerFigures(recent, name);
  const facts = adapters.get(name);
  const about = raised.filter(({ subject }) => subject.type === 'adapter' && adapterOf(subject) === name);
  const versions = new Set(
    alive.flatMap((host) => host.adapters.filter((one) => one.name === name).map((one) => one.version)),
  );
  const { p95Ms } = figures;
  const openAttempts = open.reduce((sum, { attempts }) => sum + attempts, 0);
  const isBounded = isTruncated(open.map(({ attempts }) => ({ count: attempts })));
  const openMoney = open.map(({ amount, currency }) => moneyTextOf(amount, currency, isBounded)).join(', ') || 'none';
  return html`${live(
      'figures',
      html`<p class="lead">
          ${badge(state)} ${facts?.package ?? 'not in config'}${facts?.manifest ? `, code ${facts.manifest.code}` : ''},
          version ${[...versions].join(', ') || 'unknown'}
        </p>
        <h2>Last hour</h2>
        <dl class="facts">
          ${fact('Open attempts', boundedCount(openAttempts, isBounded))} ${fact('Pending amount', openMoney)}
          ${fact('Submissions', figures.submissions)} ${fact('Success rate', percent(figures.successRate))}
          ${fact('Calls', figures.calls)} ${fact('Failed calls', percent(figures.errorRate))}
          ${fact('Latency p95', p95Ms === undefined ? '–' : `${p95Ms} ms`)} ${fact('Callbacks', figures.callbacks)}
          ${fact('Refused callbacks', figures.refusedCallbacks)} ${fact('Unknown statuses', figures.unknownStatuses)}
        </dl>
        <p>Last callback: ${time(figures.lastCallbackAt)}</p>
        <h2>Alarms</h2>
        ${table('alarms', {
          caption: 'Alarms about this adapter, including unknown statuses',
          head: ['Last raised', 'State', 'Count', 'Problem'],
          rows: about.map(({ _id, kind, state: alarmState, count, lastSeenAt, reason }) => [
            time(lastSeenAt),
            badge(alarmState),
            count,
            html`<a href="/ops/alarms/${encodeURIComponent(_id)}">${kind.replaceAll('_', ' ')}</a>
              <small>${reason}</small>`,
          ]),
          empty: 'No alarms.',
        })}`,
    )}
    <div class="acts">
      ${stateForms(session, name, state)}
      ${
        state === 'off'
          ? null
          : actionForm(session, 'support', {
              action: `${path}/${name}/check`,
              label: 'Check connection and account',
            })
      }
    </div>
    ${facts?.manifest ? findingsSection(facts.manifest.findings, table) : null} ${facts ? factsOf(facts, table) : null}
    ${facts ? replaySection(name, facts, session) : null}`;
}

function moneyTextOf(amount: string, currency: string, isBounded: boolean): string {
  const text = moneyText(amount, currency);
  return isBounded ? orMore(text) : text;
}

function findingsSection(findings: readonly Finding[], table: ShowTable): SafeHtml {
  return html`<h2>Configuration check</h2>
    ${table('findings', {
      caption: 'Problems of the configuration',
      head: ['Result', 'Finding'],
      rows: findings.map(({ state, text }) => [badge(state), text]),
      empty: 'Configuration is complete. Credentials are not tested here: the check above asks the provider.',
    })}`;
}

function replaySection(name: string, facts: AdapterFacts, session: Session): SafeHtml | null {
  const form = actionForm(session, 'admin', {
    action: `${path}/${name}/replay`,
    label: 'Test the candidate',
    fields: html`${textField({ name: 'candidate', label: 'Candidate package', value: facts.package })}
    ${textField({ name: 'since', label: 'Callbacks since (UTC), default: the last 24 hours', type: 'datetime-local' })}`,
  });
  return (
    form &&
    html`<h2>Replay</h2>
      <p>
        Tests a new version of the adapter against stored callbacks, and shows which of them it would read differently.
        Nothing is changed.
      </p>
      <div class="acts">${form}</div>`
  );
}

function factsOf({ networks, manifest }: AdapterFacts, table: ShowTable): SafeHtml {
  return html`<h2>Callbacks</h2>
    <p>
      Accepts callbacks from
      ${networks.length === 0 ? 'any IP address: no networks are configured' : networks.join(', ')}.
    </p>
    ${
      manifest === null
        ? html`<p class="empty">The adapter is off, so its package is not loaded.</p>`
        : html`${table('routes', {
            caption: 'Callback addresses',
            head: ['Method', 'Address', 'Reports'],
            rows: manifest.callbacks.map(({ method, url, reports }) => [method, url, reports]),
            empty: 'The adapter has no callbacks.',
          })}
          ${
            manifest.toEnter.length === 0
              ? null
              : html`<h2>Enter at the provider</h2>
                  <ul>
                    ${manifest.toEnter.map((line) => html`<li>${line}</li>`)}
                  </ul>`
          }`
    }`;
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
