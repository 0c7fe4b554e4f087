/** The section of a merchant's page with the links to its portal. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { actionsHeading, badge, choice, time } from '../../html/components/parts.ts';
import type { PortalLinkView } from '../../engine/access/index.ts';
import { actionForm } from '../kit/action-form.ts';
import type { ShowTable } from '../kit/listing.ts';
import type { Session } from '../sign-in/session.ts';

/** `path` is the address of the merchant's page. */
export function portalSection(
  path: string,
  links: readonly PortalLinkView[],
  session: Session,
  table: ShowTable,
): SafeHtml {
  const fields = choice('environment', 'Environment', ['sandbox', 'production'], 'sandbox', { any: false });
  return html`<h2>Portal</h2>
    ${table('portal', {
      caption: 'Links to the portal of this merchant, newest first',
      head: [
        'Link',
        'Mode',
        'State',
        'Created',
        'Created by',
        'Expires',
        'Last used',
        'Rotates the secret',
        actionsHeading,
      ],
      rows: links.map((one) => [
        one.id,
        one.environment,
        badge(one.state),
        time(one.createdAt),
        one.madeBy,
        time(one.revokedAt ?? one.expiresAt),
        one.lastUsedAt ? time(one.lastUsedAt) : 'never',
        one.allowsRotation ? 'yes' : 'no',
        one.state === 'active'
          ? actionForm(session, 'support', { action: `/ops/portal-links/${one.id}/revoke`, label: 'Revoke' })
          : '–',
      ]),
      empty: 'No recent links.',
    })}
    <div class="acts spaced">
      ${actionForm(session, 'support', { action: `${path}/portal`, label: 'Create link', fields })}
      ${actionForm(session, 'admin', {
        action: `${path}/rotating-portal`,
        label: 'Create link with secret rotation',
        fields,
        isDangerous: true,
      })}
    </div>`;
}
