/** The form that turns an adapter, or one of its accounts, on or off. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { hidden, pageField, textField } from '../../html/components/parts.ts';
import { isAllowed } from '../kit/action-form.ts';
import { requiredReason } from '../kit/buttons.ts';
import type { Session } from '../sign-in/session.ts';
import { stateLabels } from './adapter-actions.ts';

const stateHints = {
  on: 'On: it takes payments.',
  draining: 'Drain: no new payments; those that are open continue.',
  off: 'Off: nothing at all, and its callbacks are refused. Drain it first.',
} as const;

/** One reason, and a button for each other state. */
export function stateForm(
  { operator, formToken, page }: Session,
  path: string,
  state: keyof typeof stateLabels,
): SafeHtml {
  if (!isAllowed(operator.role, 'admin')) return html`<p>Your role cannot change the state.</p>`;
  const others = (['on', 'draining', 'off'] as const).filter((one) => one !== state);
  const looks = { on: 'main', draining: '', off: 'danger' } as const;
  return html`<p class="prose">${others.map((to) => stateHints[to]).join(' ')}</p>
    <form method="post" action="${path}/${others[0]}" class="act">
      ${hidden({ formToken, [pageField]: page })}
      ${textField({ name: 'reason', label: requiredReason, isRequired: true })}
      ${others.map((to) => html`<button formaction="${path}/${to}" class="${looks[to]}">${stateLabels[to]}</button> `)}
    </form>`;
}
