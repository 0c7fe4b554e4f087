/** The links to the portal of a merchant. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Owner, PortalLinkView } from '../../engine/access/index.ts';
import { actionsHeading, badge, checkBox, choice, emptyState, sectionHead, time } from '../../html/components/parts.ts';
import { actionForm, isAllowed } from '../kit/action-form.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { SectionPlace } from './keys-section.ts';
import { merchantsPath, modeText, offeredEnvironments } from './merchants.ts';

export function portalSection(
  deps: Pick<ConsoleDeps, 'canUseLiveKeys'>,
  { id }: Owner,
  links: readonly PortalLinkView[],
  { session, table }: SectionPlace,
): SafeHtml {
  const canRotate = isAllowed(session.operator.role, 'admin');
  const create = actionForm(session, 'support', {
    action: `${merchantsPath}/${id}/portal`,
    label: 'Create link',
    isMain: true,
    fields: html`${choice('environment', 'Mode', offeredEnvironments(deps), 'sandbox', { any: false, textOf: modeText })}
    ${canRotate ? checkBox('allowsRotation', 'Allow changes: endpoint, notification types and the webhook secret') : null}`,
  });
  return html`<p>
      For an hour, anyone with the link sees the merchant’s payments, notifications, endpoints and API calls of one
      mode, can send notifications again and test endpoints.
    </p>
    ${create} ${sectionHead('Recent links')}
    ${table('portal', {
      caption: 'Links to the portal of this merchant, newest first',
      head: [
        { name: 'Link', kind: 'short' },
        'Mode',
        'State',
        'Created by',
        { name: 'Created', kind: 'short' },
        { name: 'Expires', kind: 'short' },
        { name: 'Last used', kind: 'short' },
        'Allows changes',
        actionsHeading,
      ],
      rows: links.map((one) => [
        one.id,
        modeText(one.environment),
        badge(one.state, one.state === 'expired' ? 'calm' : undefined),
        one.madeBy,
        time(one.createdAt),
        time(one.revokedAt ?? one.expiresAt, { exact: true }),
        one.lastUsedAt ? time(one.lastUsedAt) : 'never',
        one.allowsRotation ? 'yes' : 'no',
        one.state === 'active'
          ? actionForm(session, 'support', { action: `/ops/portal-links/${one.id}/revoke`, label: 'Revoke' })
          : '–',
      ]),
      empty: emptyState({ title: 'No recent links' }),
    })}`;
}
