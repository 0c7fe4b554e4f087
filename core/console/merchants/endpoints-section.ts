/** The notification addresses of a merchant, their health and actions, and the webhook secrets. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Owner } from '../../engine/access/index.ts';
import type { MerchantEndpoint } from '../../engine/merchants/index.ts';
import type { Environment } from '../../base/environment.ts';
import {
  actionsHeading,
  answerText,
  badge,
  emptyState,
  hidden,
  live,
  sectionHead,
  textField,
  time,
  type Cell,
} from '../../html/components/parts.ts';
import { actionForm } from '../kit/action-form.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Session } from '../sign-in/session.ts';
import { overlapField, type SectionPlace } from './keys-section.ts';
import { merchantsPath, modeText, offeredEnvironments } from './merchants.ts';
import { withoutQuery } from '../../base/text/without-query.ts';

export interface Webhooks {
  readonly endpoints: readonly MerchantEndpoint[];
  readonly overlaps: Readonly<Record<Environment, Date | null>>;
}

export function endpointsSection(
  deps: Pick<ConsoleDeps, 'canUseLiveKeys'>,
  owner: Owner,
  { endpoints, overlaps }: Webhooks,
  { session, table }: SectionPlace,
): SafeHtml {
  const path = `${merchantsPath}/${owner.id}`;
  const modes: readonly Environment[] = deps.canUseLiveKeys ? ['test', 'live'] : ['test'];
  return html`${live(
    'endpoints',
    table('endpoints', {
      caption: 'Endpoints, from the latest 100 notifications of each mode',
      head: [
        { name: 'Address', kind: 'long' },
        'Mode',
        'State',
        'Delivered',
        'Waiting',
        'Not delivered',
        'Latest attempt',
        actionsHeading,
      ],
      rows: endpoints.map((one) => [
        html`${withoutQuery(one.url)} ${one.isDefault ? html`<small>default</small>` : null}`,
        modeText(one.environment),
        stateOf(one),
        one.delivered,
        one.waiting,
        one.undelivered,
        one.lastAttempt ? html`${answerText(one.lastAttempt)} <small>${time(one.lastAttempt.at)}</small>` : '–',
        endpointForms(path, one, session),
      ]),
      empty: emptyState({
        title: 'No endpoints',
        text: 'No payment has named an address, and there is no default endpoint.',
      }),
    }),
  )}
  ${defaultsForms(path, owner, modes, session)} ${sectionHead('Webhook secrets')}
  ${table('secrets', {
    caption: 'Secrets that sign notifications',
    head: ['Mode', 'Previous secret valid until', actionsHeading],
    rows: offeredEnvironments(deps).map((environment) => [
      modeText(environment),
      time(overlaps[environment === 'production' ? 'live' : 'test'], { exact: true }),
      actionForm(session, 'admin', {
        action: `${path}/secret`,
        label: 'Rotate the webhook secret',
        fields: html`${hidden({ environment })} ${overlapField('secret')}`,
        isDangerous: true,
      }),
    ]),
    empty: '',
  })}`;
}

/** The field names the setting, so that an error is shown next to it. */
export const endpointFields = { live: 'notifyUrl', test: 'testNotifyUrl' } as const;

function defaultsForms(
  path: string,
  { notifyUrls }: Owner,
  modes: readonly Environment[],
  session: Session,
): SafeHtml | null {
  const forms = modes.map((mode) =>
    actionForm(session, 'admin', {
      action: `${path}/endpoints/default`,
      label: 'Save',
      fields: html`${hidden({ mode })}
      ${textField({
        name: endpointFields[mode],
        label: `${modeText(mode)} endpoint`,
        type: 'url',
        value: notifyUrls[mode] ?? '',
        placeholder: 'https://shop.example/webhooks',
        hint: 'Empty: no default endpoint.',
      })}`,
    }),
  );
  if (forms.every((form) => form === null)) return null;
  return html`${sectionHead('Default endpoints')}
    <p>Notifications of payments that name no address are sent there.</p>
    <div class="panel form">${forms}</div>`;
}

function stateOf({ state, failingSince, disabledAt }: MerchantEndpoint): Cell {
  const since = disabledAt ? html`<small>since ${time(disabledAt, { exact: true })}</small>` : null;
  const fails = failingSince && !disabledAt ? html`<small>since ${time(failingSince, { exact: true })}</small>` : null;
  return html`${badge(state)} ${since} ${fails}`;
}

function endpointForms(path: string, { origin, environment, state }: MerchantEndpoint, session: Session): SafeHtml {
  const fields = hidden({ origin, environment });
  return html`<div class="acts">
    ${actionForm(session, 'support', { action: `${path}/endpoints/test`, label: 'Send a test event', fields })}
    ${
      state === 'disabled'
        ? actionForm(session, 'support', { action: `${path}/endpoints/enable`, label: 'Enable', fields })
        : actionForm(session, 'admin', {
            action: `${path}/endpoints/disable`,
            label: 'Disable',
            fields,
            isDangerous: true,
          })
    }
  </div>`;
}
