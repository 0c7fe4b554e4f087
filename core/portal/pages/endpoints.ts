/** The page of the merchant's endpoints: their health, a test event, and the webhook secret. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { EndpointHealth } from '../../engine/notifications/index.ts';
import type { Portal } from '../index.ts';
import { answerText, badge, fact, postForm, time } from '../../html/components/parts.ts';
import type { PortalSession } from './session.ts';

export async function endpointsPage(portal: Portal, session: PortalSession): Promise<SafeHtml> {
  const { root, link } = session;
  const endpoints = await portal.endpoints(link);
  return html`${
      endpoints.length === 0
        ? html`<p class="empty">
            No endpoints yet: no payment has a notifyUrl, and the operator has set no default endpoint.
          </p>`
        : endpoints.map((one) => endpointSection(session, one))
    }
    <p>
      The numbers are about your latest 500 notifications. A test event has the type <code>webhook.test</code>. If it is
      delivered, it enables a disabled endpoint, and the notifications that were kept are sent.
    </p>
    <h2>Webhook secret</h2>
    ${
      link.allowsRotation
        ? postForm(session, { action: `${root}/secret`, label: 'Rotate the webhook secret', isDangerous: true })
        : html`<p>Secret rotation is not enabled for this link. Ask the operator for a link that allows it.</p>`
    }`;
}

function endpointSection(session: PortalSession, one: EndpointHealth): SafeHtml {
  const { lastAttempt, failingSince, disabledAt } = one;
  return html`<section aria-label="${one.origin}">
    <h2>${one.origin}</h2>
    <p>
      ${badge(one.state)} ${failingSince ? html`Every attempt has failed since ${time(failingSince)}.` : null}
      ${disabledAt ? html`Disabled ${time(disabledAt)}.` : null}
      ${lastAttempt ? html`Latest attempt: ${answerText(lastAttempt)}, ${time(lastAttempt.at)}.` : 'No attempt yet.'}
    </p>
    <dl class="facts">
      ${fact('Delivered', one.delivered)} ${fact('Waiting', one.waiting)} ${fact('Not delivered', one.undelivered)}
    </dl>
    ${actionForms(session, one)}
  </section>`;
}

function actionForms(session: PortalSession, { origin, disabledAt }: EndpointHealth): SafeHtml {
  const { root } = session;
  const fields = html`<input type="hidden" name="origin" value="${origin}" />`;
  return html`<div class="acts spaced">
    ${postForm(session, { action: `${root}/endpoints/test`, label: 'Send a test event', fields })}
    ${disabledAt ? postForm(session, { action: `${root}/endpoints/enable`, label: 'Enable', fields }) : null}
  </div>`;
}
