/** Merchants: their keys, and what signs their notifications. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notFound } from '../../errors.ts';
import { badge, choice, table, textField, time } from '../../http/dashboard/parts.ts';
import { actForm } from './act-form.ts';
import type { ConsoleDeps } from './deps.ts';
import type { Session } from './session.ts';

const path = '/ops/merchants';

export async function merchantsPage({ owners, keys }: ConsoleDeps): Promise<SafeHtml> {
  const [all, everyKey] = await Promise.all([owners.list(), keys.list()]);
  return table({
    caption: 'Merchants',
    head: ['Merchant', 'Since', 'Active keys', 'Live events go to', 'Test events go to', 'E-mail'],
    rows: all.map(({ id, name, createdAt, notifyUrls, email }) => [
      html`<a href="${path}/${id}">${name}</a>`,
      time(createdAt),
      everyKey.filter(({ ownerId, state }) => ownerId === id && state === 'active').length,
      notifyUrls.live ?? '–',
      notifyUrls.test ?? '–',
      email ?? '–',
    ]),
    empty: 'There is none: gateway keys create makes one.',
  });
}

/** Throws NF001 where there is none. */
export async function merchantPage(deps: ConsoleDeps, id: string, session: Session): Promise<SafeHtml> {
  const { name, keys, endpoints } = await readMerchant(deps, id);
  return html`<p>
      <a href="/ops/payments?owner=${encodeURIComponent(name)}">Payments</a> ·
      <a href="/ops/notifications?owner=${encodeURIComponent(name)}">Notifications</a>
    </p>
    <h2>Keys</h2>
    ${table({
      caption: 'API keys',
      head: ['Key', 'Environment', 'State', 'Scopes', 'A minute', 'Made', 'Ends', 'Last used', 'Act'],
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
              ${actForm(session, 'admin', {
                action: `/ops/keys/${keyId}/limit`,
                label: 'Limit',
                fields: textField({ name: 'limit', label: 'Requests a minute', value: String(limit) }),
              })}
              ${actForm(session, 'admin', { action: `/ops/keys/${keyId}/rotate`, label: 'Rotate', isDangerous: true })}
              ${actForm(session, 'admin', { action: `/ops/keys/${keyId}/revoke`, label: 'Revoke', isDangerous: true })}
            </div>`
          : '–',
      ]),
      empty: 'There is none.',
    })}
    <div class="acts">
      ${actForm(session, 'admin', {
        action: `${path}/${id}/keys`,
        label: 'Make a key',
        fields: choice('environment', 'Environment', environments, 'sandbox', { any: false }),
      })}
      ${actForm(session, 'admin', {
        action: `${path}/${id}/secret`,
        label: 'Rotate the webhook secret',
        fields: choice('environment', 'Environment', environments, 'sandbox', { any: false }),
        isDangerous: true,
      })}
    </div>
    <h2>Addresses that fail</h2>
    ${table({
      caption: 'Addresses at which every attempt fails',
      head: ['Address', 'Mode', 'Failing since', 'Disabled', 'Act'],
      rows: endpoints.map(({ origin, environment, failingSince, disabledAt }) => [
        origin,
        environment,
        time(failingSince),
        disabledAt ? time(disabledAt) : 'tried still',
        actForm(session, 'support', {
          action: `${path}/${id}/endpoints`,
          label: 'Enable',
          fields: html`<input type="hidden" name="origin" value="${origin}" />
            <input type="hidden" name="environment" value="${environment}" />`,
        }),
      ]),
      empty: 'No address fails.',
    })}`;
}

/** As keys have them. */
export const environments = ['sandbox', 'production'] as const;

async function readMerchant({ owners, keys, endpoints }: ConsoleDeps, id: string) {
  const name = await merchantName({ owners }, id);
  return { name, keys: await keys.list({ owner: name }), endpoints: await endpoints(Number(id)) };
}

/** Throws NF001 where there is none. */
export async function merchantName({ owners }: Pick<ConsoleDeps, 'owners'>, id: string): Promise<string> {
  const found = /^\d{1,15}$/.test(id) ? await owners.get(Number(id)) : undefined;
  if (!found) throw notFound('a merchant of this id');
  return found.name;
}
