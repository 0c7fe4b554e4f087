/** What the buttons are called that other parts of a page, or other pages, speak of. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { NextAction, NextStep } from '../../engine/payments/index.ts';

export const buttons = {
  reconcile: 'Ask the provider now',
  review: 'Mark reviewed',
  refund: 'Refund',
  requeue: 'Apply again',
  discard: 'Give up',
  resend: 'Send again',
} as const satisfies Readonly<Record<NextAction['action'], string>>;

/** What happens next, and the buttons by which somebody sees to it. */
export function nextText({ what, actions = [], callbackId }: NextStep): SafeHtml | string {
  const names = actions.map(({ action }) => `“${buttons[action]}”`).join(' or ');
  const said = names === '' ? what : `${what}: ${names}`;
  if (callbackId === undefined) return said;
  const page = `/ops/callbacks/${encodeURIComponent(callbackId)}`;
  return names === ''
    ? html`${said}. <a href="${page}">Look at it</a>`
    : html`${said}, on <a href="${page}">its page</a>`;
}
