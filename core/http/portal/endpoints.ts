/** The merchant's addresses: how they do, a test event, and the webhook secret. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { EndpointHealth } from '../../notifications/index.ts';
import type { Portal } from '../../portal/index.ts';
import { attemptText, badge, postForm, table, time, type Cell } from '../dashboard/parts.ts';
import type { PortalSession } from './session.ts';

export async function endpointsPage(portal: Portal, session: PortalSession): Promise<SafeHtml> {
  const { root, formToken, link } = session;
  const endpoints = await portal.endpoints(link);
  return html`${table({
      caption: 'Addresses that notifications go to',
      head: ['Address', 'State', 'Latest attempt', 'Delivered', 'Waiting', 'Not delivered', 'Act'],
      rows: endpoints.map((one) => [
        one.origin,
        stateOf(one),
        one.lastAttempt ? html`${attemptText(one.lastAttempt)} <small>${time(one.lastAttempt.at)}</small>` : 'none yet',
        one.delivered,
        one.waiting,
        one.undelivered,
        actsOf(session, one),
      ]),
      empty: 'None is known: no payment has named one, and the operator has set no default address.',
    })}
    <p>
      Numbers are of your latest 500 notifications. A test event is <code>webhook.test</code>: where it is delivered, an
      address that was disabled is enabled again, and what was kept for it is sent.
    </p>
    <h2>Webhook secret</h2>
    ${
      link.allowsRotation
        ? postForm(formToken, { action: `${root}/secret`, label: 'Rotate the webhook secret', isDangerous: true })
        : html`<p>This link cannot rotate it. Ask the operator for one that can.</p>`
    }`;
}

function stateOf({ state, failingSince, disabledAt }: EndpointHealth): SafeHtml {
  return html`${badge(state)}
  ${failingSince ? html`<small>every attempt fails since ${time(failingSince)}</small>` : null}
  ${disabledAt ? html`<small>disabled ${time(disabledAt)}</small>` : null}`;
}

function actsOf({ root, formToken }: PortalSession, { origin, failingSince }: EndpointHealth): Cell {
  const fields = html`<input type="hidden" name="origin" value="${origin}" />`;
  return html`<div class="acts">
    ${postForm(formToken, { action: `${root}/endpoints/test`, label: 'Send a test event', fields })}
    ${failingSince ? postForm(formToken, { action: `${root}/endpoints/enable`, label: 'Enable', fields }) : null}
  </div>`;
}
