/** The page of one merchant: its settings, keys, webhooks, branding and portal, each under a tab. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Owner } from '../../engine/access/index.ts';
import type { MerchantSummary } from '../../engine/merchants/index.ts';
import { addressWith, details, fold, linkButton, stats, tabs, time } from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import { actionForm } from '../kit/action-form.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import type { Session } from '../sign-in/session.ts';
import { brandSection } from './brand-section.ts';
import { endpointsSection } from './endpoints-section.ts';
import { keysSection } from './keys-section.ts';
import { endpointStates, merchantPath, merchantsPath, merchantTabs, readOwner, type MerchantTab } from './merchants.ts';
import { portalSection } from './portal-section.ts';
import { contactFields, typeFields } from './settings-form.ts';

const titles: Readonly<Record<MerchantTab, string>> = {
  overview: 'Overview',
  keys: 'API keys',
  webhooks: 'Webhooks',
  branding: 'Branding',
  portal: 'Portal',
};

/** Throws NF001 if the merchant does not exist. */
export async function merchantPage(
  deps: ConsoleDeps,
  id: string,
  session: Session,
  { query, table }: { readonly query: Query; readonly table: ShowTable },
): Promise<{ readonly body: SafeHtml; readonly primary?: SafeHtml }> {
  const owner = await readOwner(deps, id);
  const tab = merchantTabs.find((one) => one === query['tab']) ?? 'overview';
  const links = merchantTabs.map((one) => ({
    title: titles[one],
    path: merchantPath(id, one),
    isCurrent: one === tab,
  }));
  return {
    primary: linkButton('Payments', addressWith('/ops/payments', { owner: owner.name }), { isMain: false }),
    body: html`${tabs(`Parts of ${owner.name}`, links)} ${await tabOf(deps, owner, tab, { session, table })}`,
  };
}

async function tabOf(
  deps: ConsoleDeps,
  owner: Owner,
  tab: MerchantTab,
  { session, table }: { readonly session: Session; readonly table: ShowTable },
): Promise<SafeHtml> {
  switch (tab) {
    case 'overview': {
      const [summary] = (await deps.merchants.list(String(owner.id))).filter(({ id }) => id === owner.id);
      return overviewSection(summary!, session);
    }
    case 'keys':
      return keysSection(deps, owner, await deps.keys.list({ owner: owner.name }), { session, table });
    case 'webhooks': {
      const [endpoints, overlaps] = await Promise.all([
        deps.merchants.endpoints(owner),
        deps.owners.secretOverlaps(owner.id),
      ]);
      return endpointsSection(deps, owner, { endpoints, overlaps }, { session, table });
    }
    case 'branding':
      return brandSection(owner, session);
    case 'portal':
      return portalSection(deps, owner, await deps.merchants.portal.list(owner.id), { session, table });
  }
}

function overviewSection(owner: MerchantSummary, session: Session): SafeHtml {
  const { id, name, email, reportingCurrency, notificationTypes, notifyUrls, brand, createdAt, lastPaymentAt } = owner;
  const path = `${merchantsPath}/${id}`;
  return html`${stats([
      { label: 'Active keys', value: owner.activeKeys, path: merchantPath(id, 'keys') },
      {
        label: 'Last payment',
        value: lastPaymentAt ? time(lastPaymentAt) : 'never',
        path: addressWith('/ops/payments', { owner: name }),
      },
      { label: 'Endpoints', value: endpointStates(owner), path: merchantPath(id, 'webhooks') },
    ])}
    ${details([
      ['Name', name],
      ['Shown to payers as', brand.displayName ?? name],
      ['ID', id],
      ['Email', email ?? 'none: notices are not sent'],
      ['Currency of totals', reportingCurrency ?? 'the currency of the gateway'],
      ['Notifications', notificationTypes === null ? 'all types' : notificationTypes.join(', ')],
      ['Live endpoint', notifyUrls.live ?? '–'],
      ['Test endpoint', notifyUrls.test ?? '–'],
      ['Created', time(createdAt)],
    ])}
    <p class="pages">
      <a href="${addressWith('/ops/notifications', { owner: name })}">Notifications</a>
      <a href="${addressWith('/ops/audit', { about: `merchant ${name}` })}">Audit log</a>
    </p>
    ${settingsForm(owner, session)} ${removeForm(path, owner, session)}`;
}

function settingsForm(owner: MerchantSummary, session: Session): SafeHtml | null {
  const form = actionForm(session, 'admin', {
    action: `${merchantsPath}/${owner.id}/settings`,
    label: 'Save settings',
    isMain: true,
    fields: html`${contactFields(owner)} ${typeFields(owner)}`,
  });
  const isRefused = session.refused?.action.endsWith('/settings') === true;
  return form && fold('Change the settings', html`<div class="panel form">${form}</div>`, isRefused);
}

function removeForm(path: string, { lastPaymentAt }: MerchantSummary, session: Session): SafeHtml | null {
  const form = actionForm(session, 'admin', { action: `${path}/remove`, label: 'Remove merchant', isDangerous: true });
  if (!form) return null;
  const body = lastPaymentAt
    ? html`<p>A merchant with payments cannot be removed. Revoke its keys to stop its payments.</p>`
    : html`<p>
          The merchant has no payments. Its keys and portal links are revoked. A new key for its name restores it.
        </p>
        ${form}`;
  return fold('Remove the merchant', body);
}
