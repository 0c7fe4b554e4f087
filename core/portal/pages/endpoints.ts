/** The page of the merchant's endpoints: addresses, health, types of events, and the webhook secret. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notificationTypes } from '../../database/collections/payment-request.ts';
import type { Owner } from '../../engine/access/index.ts';
import type { EndpointHealth } from '../../engine/notifications/index.ts';
import type { Portal } from '../index.ts';
import { attemptResult, eventWords } from '../../html/components/delivery.ts';
import {
  badge,
  checkBoxes,
  emptyState,
  fact,
  hidden,
  note,
  postForm,
  sectionHead,
  textField,
  time,
} from '../../html/components/parts.ts';
import { failureText } from './deliveries.ts';
import type { PortalSession } from './session.ts';
import { withoutQuery } from '../../base/text/without-query.ts';

/** The name of the box of a type in the form. */
export const typeField = (type: string): string => `type.${type}`;

export async function endpointsPage(portal: Portal, session: PortalSession, now: Date): Promise<SafeHtml> {
  const { link } = session;
  const [owner, endpoints] = await Promise.all([portal.merchant(link), portal.endpoints(link)]);
  return html`${
      link.allowsRotation
        ? null
        : note('calm', 'This link does not allow changes. Ask your payment provider for a link that allows them.')
    }
    ${
      endpoints.length === 0
        ? emptyState({
            title: 'No endpoints yet',
            text: 'Set a default endpoint below, or send notifyUrl with a payment.',
          })
        : endpoints.map((one) => endpointSection(session, one, now))
    }
    <p class="prose">
      The numbers are about your latest 500 notifications. A test event has the type <code>webhook.test</code>. A
      successful test enables a disabled endpoint, and the notifications that were kept are sent.
    </p>
    ${owner && settingsSections(session, owner)}`;
}

function endpointSection(session: PortalSession, one: EndpointHealth, now: Date): SafeHtml {
  const { lastAttempt, failingSince, disabledAt, url } = one;
  return html`<section aria-label="${one.origin}">
    ${sectionHead(withoutQuery(url))}
    <p>
      ${badge(one.state)} ${failingSince ? failureText({ failingSince, disabledAt }, now) : null}
      ${lastAttempt ? html`Latest attempt: ${attemptResult(lastAttempt)} ${time(lastAttempt.at)}` : 'No attempt yet.'}
    </p>
    ${
      lastAttempt?.answer === undefined
        ? null
        : html`<p class="hint">Your endpoint answered:</p>
            <pre class="excerpt" tabindex="0">${lastAttempt.answer}</pre>`
    }
    <dl class="facts">
      ${fact('Delivered', one.delivered)} ${fact('Waiting', one.waiting)} ${fact('Not delivered', one.undelivered)}
    </dl>
    ${actionForms(session, one)}
  </section>`;
}

function actionForms(session: PortalSession, { origin, disabledAt }: EndpointHealth): SafeHtml {
  const { root, link } = session;
  const fields = hidden({ origin });
  return html`<div class="acts spaced">
    ${postForm(session, { action: `${root}/endpoints/test`, label: 'Send a test event', fields })}
    ${disabledAt ? postForm(session, { action: `${root}/endpoints/enable`, label: 'Enable', fields }) : null}
    ${
      link.allowsRotation && !disabledAt
        ? postForm(session, { action: `${root}/endpoints/disable`, label: 'Disable', fields, isDangerous: true })
        : null
    }
  </div>`;
}

/** The settings of the merchant, with forms if the link allows changes. */
function settingsSections(session: PortalSession, { notifyUrls, notificationTypes: chosen }: Owner): SafeHtml {
  const { link, root } = session;
  const url = notifyUrls[link.environment];
  const { allowsRotation } = link;
  const address = html`<p class="prose">
      Notifications about payments without a <code>notifyUrl</code> of their own are sent to this address, in
      ${link.environment} mode.
    </p>
    ${
      allowsRotation
        ? postForm(session, {
            action: `${root}/endpoints/address`,
            label: 'Save address',
            fields: textField({
              name: 'url',
              label: 'Address',
              value: url ?? '',
              type: 'url',
              placeholder: 'https://shop.example/webhooks',
              hint: 'Empty: no default endpoint',
            }),
          })
        : html`<p>${url === null ? 'No default endpoint is set.' : html`<code>${url}</code>`}</p>`
    }`;
  const secret = html`<p class="prose">With this secret, your receiver verifies that a notification comes from us.</p>
    ${
      allowsRotation
        ? html`<div class="acts spaced">
            ${postForm(session, { action: `${root}/secret/show`, label: 'Show the secret' })}
            ${postForm(session, { action: `${root}/secret`, label: 'Rotate the webhook secret', isDangerous: true })}
          </div>`
        : null
    }`;
  const sections = { 'Default endpoint': address, Events: typesPart(session, chosen), 'Webhook secret': secret };
  return html`${Object.entries(sections).map(
    ([title, body]) =>
      html`${sectionHead(title)}
        <div class="panel">${body}</div>`,
  )}`;
}

function typesPart(session: PortalSession, chosen: Owner['notificationTypes']): SafeHtml {
  const { link, root } = session;
  const names = chosen === null ? 'All events are sent.' : `Sent: ${chosen.map(eventWords).join(', ')}.`;
  if (!link.allowsRotation) return html`<p class="prose">${names}</p>`;
  if (link.environment === 'test')
    return html`<p class="prose">
      ${names} The choice is the same in both modes. To change it, ask for a link to live mode.
    </p>`;
  const boxes = notificationTypes.map((type) => {
    return { name: typeField(type), label: eventWords(type), isChecked: chosen === null || chosen.includes(type) };
  });
  return postForm(session, {
    action: `${root}/endpoints/types`,
    label: 'Save events',
    fields: checkBoxes('Send notifications about, in both modes', boxes),
  });
}
