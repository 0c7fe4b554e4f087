/** The labels of the buttons that other parts of a page, or other pages, mention. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { NextAction, NextStep } from '../../engine/payments/index.ts';

export const buttons = {
  reconcile: 'Check status now',
  review: 'Mark as reviewed',
  refund: 'Refund',
  settle_refund: 'Record result of refund',
  requeue: 'Retry',
  discard: 'Discard',
  resend: 'Resend',
} as const satisfies Readonly<Record<NextAction['act'], string>>;

export const optionalReason = 'Reason (optional, recorded in the audit log)';
export const requiredReason = 'Reason (required, recorded in the audit log)';

/** Describes the next step of a payment, and names its provider and the buttons for it. */
export function nextText(
  { what, acts = [], adapter, callbackId, notificationId }: NextStep,
  titleOf: (adapter: string) => string,
): SafeHtml | string {
  const names = acts.map(({ act }) => `“${buttons[act]}”`).join(' or ');
  const titled = adapter === undefined ? what : what.replace(` ${adapter}`, () => ` ${titleOf(adapter)}`);
  const said = names === '' ? titled : `${titled}: ${names}`;
  if (notificationId !== undefined) {
    const [before = '', after = ''] = said.split(notificationId);
    const link = `/ops/notifications/${encodeURIComponent(notificationId)}`;
    return html`${before}<a href="${link}">${notificationId}</a>${after}`;
  }
  if (callbackId === undefined) return said;
  const page = `/ops/callbacks/${encodeURIComponent(callbackId)}`;
  return names === ''
    ? html`${said}. <a href="${page}">View the callback</a>`
    : html`${said}, on <a href="${page}">the page of the callback</a>`;
}
