/** Merchants: their keys, addresses, webhook secrets, branding and portal links. */
import { html, type SafeHtml } from '@remix-run/html-template';
import {
  defaultScopes,
  scopes as allScopes,
  toEnvironment,
  type Brand,
  type Logo,
  type Owner,
} from '../../engine/access/index.ts';
import { notFound } from '../../base/errors.ts';
import type { ConsoleDeps } from '../deps.ts';
import { endpointsSection } from './endpoints-section.ts';
import type { Listing, ShowTable } from '../kit/listing.ts';
import { actionsHeading, badge, choice, fact, hidden, textField, time } from '../../html/components/parts.ts';
import { actionForm } from '../kit/action-form.ts';
import { portalSection } from './portal-section.ts';
import type { Session } from '../sign-in/session.ts';

const path = '/ops/merchants';

export async function merchantsPage({ owners, keys }: ConsoleDeps): Promise<Listing> {
  const [all, everyKey] = await Promise.all([owners.list(), keys.list()]);
  const activeKeys = new Map<number, number>();
  for (const { ownerId, state } of everyKey)
    if (state === 'active') activeKeys.set(ownerId, (activeKeys.get(ownerId) ?? 0) + 1);
  const table = {
    caption: 'Merchants',
    head: ['Merchant', 'Created', 'Active keys', 'Address of live events', 'Address of test events', 'Email'],
    rows: all.map(({ id, name, createdAt, notifyUrls, email }) => [
      html`<a href="${path}/${id}">${name}</a>`,
      time(createdAt),
      activeKeys.get(id) ?? 0,
      notifyUrls.live ?? '–',
      notifyUrls.test ?? '–',
      email ?? '–',
    ]),
    empty: 'There are no merchants. Create one with: paywright keys create',
  };
  return { table };
}

/** Throws NF001 if the merchant does not exist. */
export async function merchantPage(
  deps: ConsoleDeps,
  id: string,
  session: Session,
  table: ShowTable,
): Promise<SafeHtml> {
  const { name, brand, notifyUrls, keys, endpoints, overlaps, portalLinks } = await readMerchant(deps, id);
  return html`<p>
      <a href="/ops/payments?owner=${encodeURIComponent(name)}">Payments</a> ·
      <a href="/ops/notifications?owner=${encodeURIComponent(name)}">Notifications</a>
    </p>
    <h2>Keys</h2>
    ${table('keys', {
      caption: 'API keys',
      head: [
        'Key',
        'Environment',
        'State',
        'Scopes',
        'Rate limit (per minute)',
        'Created',
        'Expires',
        'Last used',
        actionsHeading,
      ],
      rows: keys.map(({ keyId, environment, state, scopes, limit, createdAt, expiresAt, lastUsedAt }) => [
        keyId,
        environment,
        badge(state),
        scopes.join(', '),
        limit,
        time(createdAt),
        time(expiresAt),
        lastUsedAt ? time(lastUsedAt) : 'never',
        state === 'active'
          ? html`<div class="acts">
              ${actionForm(session, 'admin', {
                action: `/ops/keys/${keyId}/limit`,
                label: 'Limit',
                fields: textField({ name: 'limit', label: 'Rate limit (per minute)', value: String(limit) }),
              })}
              ${actionForm(session, 'admin', { action: `/ops/keys/${keyId}/rotate`, label: 'Rotate', isDangerous: true })}
              ${actionForm(session, 'admin', { action: `/ops/keys/${keyId}/revoke`, label: 'Revoke', isDangerous: true })}
            </div>`
          : '–',
      ]),
      empty: 'The merchant has no keys.',
    })}
    <div class="acts">
      ${actionForm(session, 'admin', {
        action: `${path}/${id}/keys`,
        label: 'Create key',
        fields: html`${choice('environment', 'Environment', environments, 'sandbox', { any: false })}
        ${textField({ name: 'scopes', label: `Scopes (available: ${allScopes.join(', ')})`, value: defaultScopes.join(', ') })}
        ${textField({ name: 'limit', label: 'Rate limit (per minute), default from config' })}
        ${textField({ name: 'expires', label: 'Expires at (UTC), default: no expiry', type: 'datetime-local' })}`,
      })}
    </div>
    ${endpointsSection(`${path}/${id}`, endpoints, session, table)}
    <h2>Webhook secrets</h2>
    ${table('secrets', {
      caption: 'Secrets that sign notifications',
      head: ['Environment', 'Default address', 'Previous secret valid until', actionsHeading],
      rows: environments.map((environment) => {
        const mode = toEnvironment(environment);
        return [
          environment,
          notifyUrls[mode] ?? '–',
          time(overlaps[mode]),
          actionForm(session, 'admin', {
            action: `${path}/${id}/secret`,
            label: 'Rotate the webhook secret',
            fields: hidden({ environment }),
            isDangerous: true,
          }),
        ];
      }),
      empty: '',
    })}
    <h2>Branding</h2>
    ${brandFacts(id, name, brand)} ${brandForm(id, brand, session)}
    ${portalSection(`${path}/${id}`, portalLinks, session, table)}`;
}

/** The text fields of the branding, in the order of the form. */
export const brandTexts = [
  { name: 'displayName', label: 'Name shown to payers' },
  { name: 'colour', label: 'Colour, for example #2446c8' },
  { name: 'support', label: 'Help: email or https address' },
  { name: 'terms', label: 'Terms: https address' },
] as const satisfies readonly { readonly name: keyof Brand; readonly label: string }[];

function brandFacts(id: string, name: string, { displayName, logo, colour, support, terms }: Brand): SafeHtml {
  const image = html`<img class="logo" src="${path}/${id}/logo" alt="Logo of ${displayName ?? name}" />`;
  return html`<dl class="facts">
    <div>
      <dt>Logo</dt>
      <dd>${logo ? image : 'No logo: pages show the first letter of the name'}</dd>
    </div>
    ${fact('Name', displayName ?? name)} ${fact('Colour', colour ?? 'default')} ${fact('Help', support ?? '–')}
    ${fact('Terms', terms ?? '–')}
  </dl>`;
}

function brandForm(id: string, brand: Brand, session: Session): SafeHtml {
  const texts = brandTexts.map(({ name, label }) => textField({ name, label, value: brand[name] ?? '' }));
  const noLogo = html`<label class="check"><input type="checkbox" name="noLogo" value="yes" /> Remove the logo</label>`;
  return html`<div class="acts">
    ${actionForm(session, 'admin', {
      action: `${path}/${id}/brand`,
      label: 'Save branding',
      fields: html`${texts}
        <label
          >Logo: PNG, JPEG or WebP, at most 64 kB<input
            type="file"
            name="logo"
            accept="image/png,image/jpeg,image/webp"
        /></label>
        ${brand.logo ? noLogo : null}`,
      hasFile: true,
    })}
  </div>`;
}

/** The image of the logo and its type. Throws NF001 if the merchant has no logo. */
export async function merchantLogo({ owners }: Pick<ConsoleDeps, 'owners'>, id: string): Promise<Logo> {
  const owner = await readOwner({ owners }, id);
  const logo = owner.brand.logo && (await owners.logo(owner.id, owner.brand.logo.hash));
  if (!logo) throw notFound('a logo of this merchant');
  return logo;
}

/** The environments of keys. */
export const environments = ['sandbox', 'production'] as const;

async function readMerchant(deps: ConsoleDeps, id: string) {
  const owner = await readOwner(deps, id);
  const [keys, endpoints, overlaps, portalLinks] = await Promise.all([
    deps.keys.list({ owner: owner.name }),
    deps.merchants.endpoints(owner),
    deps.owners.secretOverlaps(owner.id),
    deps.merchants.portal.list(owner.id),
  ]);
  return { ...owner, keys, endpoints, overlaps, portalLinks };
}

/** The page that is shown after an action on a merchant. */
export function toMerchant(_: ConsoleDeps, id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}

/** Throws NF001 if the merchant does not exist. */
export async function merchantName({ owners }: Pick<ConsoleDeps, 'owners'>, id: string): Promise<string> {
  return (await readOwner({ owners }, id)).name;
}

/** Throws NF001 if the merchant does not exist. */
export async function readOwner({ owners }: Pick<ConsoleDeps, 'owners'>, id: string): Promise<Owner> {
  const found = /^\d{1,15}$/.test(id) ? await owners.get(Number(id)) : undefined;
  if (!found) throw notFound('a merchant of this id');
  return found;
}
