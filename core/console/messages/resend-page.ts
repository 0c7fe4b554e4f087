/** Shows the progress of resending many notifications. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notFound } from '../../base/errors.ts';
import { isCutResendCount, resendCountText } from '../../engine/notifications/index.ts';
import { announced, badge, fact, live, time } from '../../html/components/parts.ts';
import type { ConsoleDeps } from '../deps.ts';

/** Throws NF001 if this host does not know the resend. */
export async function resendPage({ resends }: ConsoleDeps, id: string): Promise<SafeHtml> {
  const found = resends.get(id);
  if (!found)
    throw notFound('this resend (only the host that started it shows it, until it restarts: see the audit log)');
  const { startedAt, total, resent, state } = found;
  return html`${live(
      'progress',
      html`${announced(html`<p>${badge(state)} ${resent} of ${resendCountText(total)}, started ${time(startedAt)}.</p>`)}
        <progress max="${Math.max(total, resent, 1)}" value="${resent}" aria-label="Resent"></progress>
        <dl class="facts">
          ${fact('Resent', resent)}
          ${fact('Remaining', isCutResendCount(total) ? 'not fully counted' : Math.max(0, total - resent))}
        </dl>`,
    )}
    <p class="pages">
      <a href="/ops/notifications">Notifications</a> <a href="/ops/audit?act=notifications.resend">Audit</a>
    </p>`;
}
