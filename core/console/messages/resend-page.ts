/** How far it is with notifications that are sent again. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notFound } from '../../base/errors.ts';
import { isCutResendCount, resendCountText } from '../../engine/notifications/index.ts';
import { announced, badge, fact, live, time } from '../../html/dashboard/parts.ts';
import type { ConsoleDeps } from '../deps.ts';

/** Throws NF001 where this host knows of none. */
export async function resendPage({ resends }: ConsoleDeps, id: string): Promise<SafeHtml> {
  const found = resends.get(id);
  if (!found)
    throw notFound('what you look for (only the host that began it shows it, until it starts anew: see the audit)');
  const { startedAt, total, resent, state } = found;
  return html`${live(
      'progress',
      html`${announced(html`<p>${badge(state)} ${resent} of ${resendCountText(total)}, begun ${time(startedAt)}.</p>`)}
        <progress max="${Math.max(total, resent, 1)}" value="${resent}" aria-label="Sent again"></progress>
        <dl class="facts">
          ${fact('Sent again', resent)}
          ${fact('To be sent again', isCutResendCount(total) ? 'not counted to the end' : Math.max(0, total - resent))}
        </dl>`,
    )}
    <p class="pages">
      <a href="/ops/notifications">Notifications</a> <a href="/ops/audit?act=notifications.resend">Audit</a>
    </p>`;
}
