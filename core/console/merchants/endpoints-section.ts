/** The section of a merchant's page with its notification addresses, their health, and their actions. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { actionsHeading, answerText, badge, hidden, live, time, type Cell } from '../../html/components/parts.ts';
import { actionForm } from '../kit/action-form.ts';
import type { MerchantEndpoint } from '../../engine/merchants/index.ts';
import type { ShowTable } from '../kit/listing.ts';
import type { Session } from '../sign-in/session.ts';

/** `path` is the address of the merchant's page. */
export function endpointsSection(
  path: string,
  endpoints: readonly MerchantEndpoint[],
  session: Session,
  table: ShowTable,
): SafeHtml {
  return live(
    'endpoints',
    html`<h2>Endpoints</h2>
      ${table('endpoints', {
        caption: 'Addresses of notifications, from the latest 100 notifications of each mode',
        head: ['Address', 'Mode', 'State', 'Delivered', 'Waiting', 'Not delivered', 'Latest attempt', actionsHeading],
        rows: endpoints.map((one) => [
          one.origin,
          one.environment,
          stateOf(one),
          one.delivered,
          one.waiting,
          one.undelivered,
          one.lastAttempt ? html`${answerText(one.lastAttempt)} <small>${time(one.lastAttempt.at)}</small>` : '–',
          actionForms(path, one, session),
        ]),
        empty: 'No payment has named an address, and there is no default. Set a default with: paywright owners set',
      })}`,
  );
}

function stateOf({ state, failingSince, disabledAt }: MerchantEndpoint): Cell {
  const since = disabledAt ? html`<small>since ${time(disabledAt)}</small>` : null;
  const fails =
    failingSince && !disabledAt ? html`<small>every attempt failed since ${time(failingSince)}</small>` : null;
  return html`${badge(state)} ${since} ${fails}`;
}

function actionForms(path: string, { origin, environment, state }: MerchantEndpoint, session: Session): SafeHtml {
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
