/** The API keys of a merchant, with their limits, and the form of a new key. */
import { html, type SafeHtml } from '@remix-run/html-template';
import {
  defaultScopes,
  scopes as allScopes,
  scopeTexts,
  type KeyView,
  type Owner,
  type Scope,
} from '../../engine/access/index.ts';
import {
  actionsHeading,
  badge,
  checkBoxes,
  choice,
  emptyState,
  fold,
  sectionHead,
  textField,
  time,
} from '../../html/components/parts.ts';
import { actionForm } from '../kit/action-form.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import type { Session } from '../sign-in/session.ts';
import { merchantsPath, modeText, offeredEnvironments } from './merchants.ts';

export interface SectionPlace {
  readonly session: Session;
  readonly table: ShowTable;
}

export function keysSection(
  deps: Pick<ConsoleDeps, 'canUseLiveKeys'>,
  { id }: Owner,
  keys: readonly KeyView[],
  { session, table }: SectionPlace,
): SafeHtml {
  const create = actionForm(session, 'admin', {
    action: `${merchantsPath}/${id}/keys`,
    label: 'Create key',
    isMain: true,
    fields: newKeyFields(deps),
  });
  const isRefused = session.refused?.action.endsWith('/keys') === true;
  return html`${table('keys', {
    caption: 'API keys',
    head: [
      { name: 'Key', kind: 'short' },
      'Mode',
      'State',
      'Scopes',
      'Rate limit (per minute)',
      { name: 'Last used', kind: 'short' },
      { name: 'Expires', kind: 'short' },
      { name: 'Created', kind: 'short' },
      actionsHeading,
    ],
    rows: keys
      .toReversed()
      .map((key) => [
        key.keyId,
        modeText(key.environment),
        badge(key.state),
        scopesText(key.scopes),
        key.limit,
        key.lastUsedAt ? time(key.lastUsedAt) : 'never',
        key.expiresAt ? time(key.expiresAt, { exact: true }) : 'never',
        time(key.createdAt),
        key.state === 'active' ? keyForms(key, session) : '–',
      ]),
    empty: emptyState({ title: 'No API keys', text: 'The merchant cannot call the API without a key.' }),
  })}
  ${create && html`${sectionHead('New key')} ${fold('Create a key', html`<div class="panel form">${create}</div>`, keys.length === 0 || isRefused)}`}`;
}

function newKeyFields(deps: Pick<ConsoleDeps, 'canUseLiveKeys'>): SafeHtml {
  const boxes = allScopes.map((scope) => ({
    name: scopeField(scope),
    label: `${scope}: ${scopeTexts[scope]}`,
    isChecked: defaultScopes.includes(scope),
  }));
  return html`${choice('environment', 'Mode', offeredEnvironments(deps), 'sandbox', { any: false, textOf: modeText })}
  ${checkBoxes('Scopes: what the key may do', boxes)}
  ${textField({ name: 'limit', label: 'Rate limit (per minute)', inputMode: 'numeric', hint: 'Empty: the limit of the config.' })}
  ${textField({ name: 'expires', label: 'Expires at (UTC)', type: 'datetime-local', hint: 'Empty: never.' })}`;
}

export function scopeField(scope: Scope): string {
  return `scope.${scope}`;
}

function scopesText(scopes: readonly Scope[]): SafeHtml | string {
  const isDefault = scopes.length === defaultScopes.length && defaultScopes.every((scope) => scopes.includes(scope));
  if (isDefault) return html`<span title="${scopes.join(', ')}">all except admin</span>`;
  return scopes.length === allScopes.length ? 'all' : scopes.join(', ');
}

function keyForms({ keyId, limit }: KeyView, session: Session): SafeHtml | null {
  const path = `/ops/keys/${keyId}`;
  const rotate = actionForm(session, 'admin', {
    action: `${path}/rotate`,
    label: 'Rotate',
    isDangerous: true,
    fields: overlapField('key'),
  });
  if (!rotate) return null;
  const change = actionForm(session, 'admin', {
    action: `${path}/limit`,
    label: 'Limit',
    fields: textField({ name: 'limit', label: 'Rate limit (per minute)', value: String(limit), inputMode: 'numeric' }),
  });
  const revoke = actionForm(session, 'admin', { action: `${path}/revoke`, label: 'Revoke', isDangerous: true });
  const isRefused = session.refused?.action.startsWith(`${path}/`) === true;
  // A published key must be revoked at once, so its button is not folded away.
  return html`${revoke} ${fold('Change', html`<div class="acts">${change} ${rotate}</div>`, isRefused)}`;
}

/** How long what is replaced stays valid. */
export function overlapField(what: 'key' | 'secret'): SafeHtml {
  return textField({
    name: 'overlapHours',
    label: `Hours until the old ${what} ends`,
    value: '24',
    inputMode: 'decimal',
  });
}
