/** The pages of one account of an adapter: what it is, and the forms that add and change it. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { partsOf } from '../../engine/alarms/index.ts';
import {
  countedOpen,
  mainAccount,
  openCountText,
  parseAccountRef,
  toOptionText,
  type AccountFigures,
  type AccountView,
} from '../../engine/providers/index.ts';
import {
  badge,
  checkBox,
  copyable,
  details,
  linkButton,
  live,
  note,
  sectionHead,
  stats,
  textField,
  time,
  type Cell,
} from '../../html/components/parts.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionForm, isAllowed } from '../kit/action-form.ts';
import { optionalReason } from '../kit/buttons.ts';
import type { ShowTable } from '../kit/listing.ts';
import type { PageBody } from '../kit/page.ts';
import { accountPath, providerLink } from '../payments/payment-cells.ts';
import type { Session } from '../sign-in/session.ts';
import { demandAdapter, readAccount } from './account-actions.ts';
import { accountFields } from './account-form.ts';
import { feeText } from './adapter-reads.ts';
import { openAlarmsTable } from './open-alarms.ts';
import { stateForm } from './state-form.ts';

/** Throws NF001 if there is no such account. */
export async function accountPage(
  deps: ConsoleDeps,
  ref: string,
  session: Session,
  table: ShowTable,
): Promise<PageBody> {
  const account = await readAccount(deps, ref);
  const { adapter, state } = account;
  const [figures, alarms, { states }, inherited] = await Promise.all([
    deps.accounts.figures(account.ref),
    openAlarmsTable(deps, (subject) => partsOf(subject).name === account.ref, {
      caption: 'Open alarms about this account',
      table,
    }),
    deps.adapterStates.read(),
    deps.accounts.get(adapter),
  ]);
  const isMain = account.account === mainAccount;
  const path = accountPath(account.ref);
  const limit = isMain || states[adapter] === 'on' ? null : states[adapter];
  const body = html`${live(
    'figures',
    html`<p class="lead">
        ${badge(state)} ${providerLink(deps, adapter)}, ${sourceText(account)}.
        ${limit ? `The adapter is ${limit}, and so is the account.` : null}
      </p>
      ${alarms} ${figureTiles(figures)}`,
  )}
  ${termsSection(account)} ${optionsTable(account, isMain ? undefined : inherited, table)}
  ${callbacksTable(deps, account, table)} ${merchantsSection(account, session, path, table)}
  ${
    isMain
      ? null
      : html`<div id="turn">${sectionHead('Turn on or off')} ${stateForm(session, path, state)}</div>
          ${account.source === 'database' ? removeSection(session, path) : null}`
  }`;
  const check =
    state === 'off'
      ? null
      : actionForm(session, 'support', { action: `${path}/check`, label: 'Check account', isMain: true });
  return { body, primary: check };
}

function sourceText({ source, created }: AccountView): SafeHtml | string {
  if (source === 'config' || !created) return 'described in the config files, and changed there';
  return html`created by ${created.by} ${time(created.at)}, changed ${time(created.changedAt)}`;
}

function figureTiles({ open, refundable, disputed, succeeded, failed }: AccountFigures): SafeHtml {
  const ended = succeeded + failed;
  // Beyond the limit of a count, the share is not known.
  const isKnown = ended > 0 && Math.max(succeeded, failed) <= countedOpen;
  return stats([
    {
      label: 'Success rate',
      value: isKnown ? `${((succeeded / ended) * 100).toFixed(1)} %` : '–',
      note: `${openCountText(succeeded)} of ${openCountText(ended)} attempts in 24 hours`,
    },
    { label: 'Open payments', value: openCountText(open) },
    { label: 'Can be refunded', value: openCountText(refundable), note: 'paid in the last 180 days' },
    { label: 'Open disputes', value: openCountText(disputed) },
  ]);
}

function termsSection({ currencies, fee, account }: AccountView): SafeHtml {
  const shared = account === mainAccount ? 'none, so fees are 0' : 'that of the adapter';
  return html`${sectionHead('Terms')}
  ${details([
    ['Currencies', currencies?.join(', ') ?? 'all that are open at the adapter'],
    ['Fee', fee ? feeText(fee) : shared],
  ])}`;
}

/** `inherited` are the options of the adapter, which apply where the account has none. Absent: it inherits none. */
function optionsTable(account: AccountView, inherited: AccountView | undefined, table: ShowTable): SafeHtml {
  const { options, sandboxOptions } = account;
  const test = sandboxOptions ?? {};
  const all = [options, test, inherited?.options ?? {}, inherited?.sandboxOptions ?? {}];
  const names = new Set(all.flatMap((some) => Object.keys(some)));
  const sharedTest = { ...inherited?.options, ...inherited?.sandboxOptions };
  return html`${sectionHead('Options')}
  ${table('options', {
    caption: 'Options; of a secret only that it is set',
    head: [
      { name: 'Option', kind: 'short' },
      { name: 'Live payments', kind: 'long' },
      { name: 'Test payments', kind: 'long' },
    ],
    rows: [...names].map((name) => [
      html`<code>${name}</code>`,
      optionCell(options[name], inherited?.options[name]),
      test[name] === undefined && options[name] !== undefined
        ? 'as for live payments'
        : optionCell(test[name], sharedTest[name]),
    ]),
    empty: 'The account has no options.',
  })}`;
}

/** Secrets of the adapter do not apply to its accounts, so they are not shown as inherited. */
function optionCell(own: unknown, inherited: unknown): Cell {
  if (own !== undefined) return shownOption(own);
  if (inherited === undefined || JSON.stringify(inherited).includes(hiddenValue)) return '–';
  return html`${shownOption(inherited)} <small>shared</small>`;
}

const hiddenValue = '[hidden]';

function shownOption(value: unknown): string {
  return isHidden(value) ? 'set' : toOptionText(value);
}

function isHidden(value: unknown): boolean {
  return value === hiddenValue || (Array.isArray(value) && value.length > 0 && value.every(isHidden));
}

function callbacksTable({ adapters }: ConsoleDeps, { adapter, account }: AccountView, table: ShowTable): SafeHtml {
  const manifest = adapters.get(adapter)?.manifest;
  const suffix = account === mainAccount ? '' : `/${account}`;
  return html`${sectionHead('Callback addresses')}
  ${table('callbacks', {
    caption: 'Callback addresses of this account',
    head: ['Method', { name: 'Address', kind: 'long' }, 'Reports'],
    rows: (manifest?.callbacks ?? []).map(({ method, url, reports }) => [method, copyable(`${url}${suffix}`), reports]),
    empty: manifest ? 'The adapter has no callbacks.' : 'The adapter is off, so its package is not loaded.',
  })}`;
}

function merchantsSection(
  { merchants, source }: AccountView,
  session: Session,
  path: string,
  table: ShowTable,
): SafeHtml {
  const isChangeable = source === 'database' && isAllowed(session.operator.role, 'admin');
  return html`${sectionHead('Merchants')}
  ${
    merchants
      ? table('merchants', {
          caption: 'Merchants that may use the account',
          head: [{ name: 'Merchant', kind: 'long' }],
          rows: merchants.map((name) => [name]),
          empty: 'No merchant may use the account yet.',
        })
      : html`<p class="prose">Every merchant may use the account, unless it has an account of its own.</p>`
  }
  ${isChangeable ? merchantForms(session, path, merchants) : null}`;
}

function merchantForms(session: Session, path: string, merchants: AccountView['merchants']): SafeHtml {
  const form = (name: string, label: string, suggestions?: readonly string[]): SafeHtml | null =>
    actionForm(session, 'admin', {
      action: `${path}/${name}`,
      label,
      fields: textField({ name: 'merchant', label: 'Merchant', isRequired: true, ...(suggestions && { suggestions }) }),
    });
  return html`<div class="acts">
    ${form('assign', 'Assign merchant')}
    ${merchants?.length ? form('unassign', 'Remove merchant', merchants.slice(0, maxSuggestions)) : null}
    ${merchants ? actionForm(session, 'admin', { action: `${path}/everybody`, label: 'Open to every merchant' }) : null}
    ${linkButton('Change options and terms', `${path}/change`, { isMain: false })}
  </div>`;
}

const maxSuggestions = 100;

function removeSection(session: Session, path: string): SafeHtml | null {
  const form = actionForm(session, 'admin', {
    action: `${path}/remove`,
    label: 'Remove account',
    fields: textField({ name: 'reason', label: optionalReason }),
    isDangerous: true,
  });
  return (
    form &&
    html`${sectionHead('Remove')}
      <p class="prose">
        An account on which payments, refunds or disputes depend cannot be removed, only drained or turned off.
      </p>
      ${form}`
  );
}

const adminOnly = note('calm', 'Only an operator with the role admin can add and change accounts.');

export async function newAccountPage(deps: ConsoleDeps, adapter: string, session: Session): Promise<SafeHtml> {
  demandAdapter(deps, adapter);
  if (!isAllowed(session.operator.role, 'admin')) return adminOnly;
  const [fields, inherited] = await Promise.all([deps.accounts.optionFields(adapter), deps.accounts.get(adapter)]);
  return html`<p class="prose">
      The account takes the options of the adapter that are left empty here, except for secrets: an account has its own.
    </p>
    <div class="panel form">
      ${actionForm(session, 'admin', {
        action: `/ops/adapters/${encodeURIComponent(adapter)}/accounts`,
        label: 'Add account',
        isMain: true,
        fields: html`${textField({
          name: 'name',
          label: 'Name',
          isRequired: true,
          hint: 'a–z, 0–9 and -, at most 40. It never changes, and is part of the callback address.',
        })}
        ${textField({
          name: 'merchant',
          label: 'Merchant',
          hint: 'The first merchant that may use it. Empty: none until one is assigned.',
        })}
        ${checkBox('everybody', 'Every merchant may use it')} ${accountFields(fields, inherited)}`,
      })}
    </div>`;
}

/** Throws NF001 if there is no such account. */
export async function changeAccountPage(deps: ConsoleDeps, ref: string, session: Session): Promise<SafeHtml> {
  const account = await readAccount(deps, ref);
  if (!isAllowed(session.operator.role, 'admin')) return adminOnly;
  if (account.source === 'config')
    return note('calm', 'The config files describe this account: change it there, and restart the service.');
  const { adapter } = parseAccountRef(ref);
  const [fields, inherited] = await Promise.all([deps.accounts.optionFields(adapter), deps.accounts.get(adapter)]);
  return html`<p class="prose">
      The identity of an account cannot change while payments, refunds or disputes depend on it: add another account
      instead. A call that has begun ends with the options that it began with.
    </p>
    <div class="panel form">
      ${actionForm(session, 'admin', {
        action: `${accountPath(ref)}/set`,
        label: 'Save account',
        isMain: true,
        fields: accountFields(fields, inherited, account),
      })}
    </div>`;
}
