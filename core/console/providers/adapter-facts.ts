/** What an adapter can do, how it is configured, and what must be entered at the provider. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Finding } from '../../engine/providers/index.ts';
import type { AdapterFacts } from './adapter-reads.ts';
import { badge, copyable, details, fold, note, sectionHead, textField } from '../../html/components/parts.ts';
import { actionForm } from '../kit/action-form.ts';
import type { ShowTable } from '../kit/listing.ts';
import { providerText } from '../payments/payment-cells.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Session } from '../sign-in/session.ts';

const path = '/ops/adapters';
/** More codes than this are folded. */
const shownCodes = 12;

export function adapterFacts(
  deps: Pick<ConsoleDeps, 'adapters'>,
  name: string,
  facts: AdapterFacts,
  { session, table }: { readonly session: Session; readonly table: ShowTable },
): SafeHtml {
  const { manifest } = facts;
  return html`${
    manifest === null
      ? note('calm', 'The adapter is off, so its package is not loaded.')
      : html`${abilitiesSection(manifest)} ${configurationSection(name, manifest, table)}
        ${callbacksSection(facts, manifest, table)}`
  }
  ${routesSection(deps, name, facts, table)} ${replaySection(name, facts, session)}`;
}

type Manifest = NonNullable<AdapterFacts['manifest']>;

function abilitiesSection({ ways, currencies, countries, abilities, modes, contract }: Manifest): SafeHtml {
  return html`${sectionHead('What it can do')}
  ${details([
    ['Ways to pay', ways.map(({ title }) => title).join(', ')],
    ['3D Secure', [...new Set(ways.map(({ threeDs }) => threeDs.replaceAll('_', ' ')))].join(', ')],
    ['Currencies', currencies === 'any' ? 'any' : codes(currencies)],
    ['Countries of payers', countries.length === 0 ? 'any' : codes(countries)],
    ['Modes', modes.join(' and ') || 'none'],
    ['Abilities', abilities.join(', ') || 'none'],
    ['Contract', contract],
  ])}`;
}

function codes(all: readonly string[]): SafeHtml | string {
  if (all.length <= shownCodes) return all.join(', ');
  return fold(`${all.slice(0, shownCodes).join(', ')} and ${all.length - shownCodes} more`, html`${all.join(', ')}`);
}

function configurationSection(name: string, { findings, secrets }: Manifest, table: ShowTable): SafeHtml {
  return html`${sectionHead('Configuration')}
  ${
    findings.length === 0
      ? note(
          'calm',
          'Configuration is complete. Credentials are not tested here: “Check connection and account” tests them.',
        )
      : findingsTable(findings, table)
  }
  ${table('secrets', {
    caption: 'Secrets, and where their values are found; the values are never shown',
    head: [
      { name: 'Option in config', kind: 'short' },
      { name: 'Where the value is found', kind: 'long' },
    ],
    rows: secrets.map((one) => [
      html`<code>adapters.${name}.options.${one.path}</code>`,
      one.description ?? 'in the provider’s console',
    ]),
    empty: 'The adapter has no secret.',
  })}`;
}

function findingsTable(findings: readonly Finding[], table: ShowTable): SafeHtml {
  return table('findings', {
    caption: 'Problems of the configuration',
    head: ['Result', { name: 'Finding', kind: 'long' }],
    rows: findings.map(({ state, text }) => [badge(state), text]),
    empty: '',
  });
}

function callbacksSection({ networks }: AdapterFacts, { callbacks, toEnter }: Manifest, table: ShowTable): SafeHtml {
  // A line that ends with an address names its field: that is a column of the table.
  const fields = new Map(
    callbacks.flatMap(({ url }) => {
      const line = toEnter.find((one) => one.endsWith(`: ${url}`));
      return line === undefined ? [] : [[url, { line, field: line.slice(0, -`: ${url}`.length) }] as const];
    }),
  );
  const named = new Set([...fields.values()].map(({ line }) => line));
  const others = toEnter.filter((line) => !named.has(line));
  return html`${sectionHead('Register at the provider')}
    ${
      others.length === 0
        ? null
        : html`<ul class="prose">
            ${others.map((line) => html`<li>${line}</li>`)}
          </ul>`
    }
    ${table('routes', {
      caption: 'Callback addresses',
      head: [...(fields.size === 0 ? [] : ['Where to enter it']), 'Method', 'Address', 'Reports'],
      rows: callbacks.map(({ method, url, reports }) => [
        ...(fields.size === 0 ? [] : [fields.get(url)?.field ?? '–']),
        method,
        copyable(url),
        reports,
      ]),
      empty: 'The adapter has no callbacks.',
    })}
    <p>
      <small>
        Accepts callbacks from
        ${networks.length === 0 ? 'any IP address: no networks are configured' : networks.join(', ')}.
      </small>
    </p>`;
}

function routesSection(
  deps: Pick<ConsoleDeps, 'adapters'>,
  name: string,
  { fee, routes }: AdapterFacts,
  table: ShowTable,
): SafeHtml {
  return html`${sectionHead('Routes and fees')}
    ${table('rules', {
      caption: 'Route rules that use this adapter',
      head: ['Rule', { name: 'For', kind: 'long' }, 'Providers, in order'],
      rows: routes.map(({ rule, when, use }) => [
        rule,
        when || 'every payment',
        html`${use.map((one, at) => html`${at === 0 ? '' : ', '}${one === name ? html`<strong>${providerText(deps, one)}</strong>` : providerText(deps, one)}`)}`,
      ]),
      empty: 'No route rule uses this adapter: it is reached by its provider code only.',
    })}
    <p>Configured fee: ${fee ?? 'none, so fees are 0'}.</p>`;
}

function replaySection(name: string, facts: AdapterFacts, session: Session): SafeHtml | null {
  const form = actionForm(session, 'admin', {
    action: `${path}/${name}/replay`,
    label: 'Test the candidate',
    fields: html`${textField({ name: 'candidate', label: 'Candidate package', value: facts.package })}
    ${textField({
      name: 'since',
      label: 'Callbacks since (UTC)',
      hint: 'Empty: the last 24 hours',
      type: 'datetime-local',
    })}`,
  });
  return (
    form &&
    fold(
      'Test a new version of the adapter',
      html`<p class="prose">
          Reads stored callbacks with a new version, and shows which of them it would read differently. Nothing is
          changed or sent.
        </p>
        <div class="acts">${form}</div>`,
    )
  );
}
