/** The payer's browser in tests of a sandbox: finds the page that a payment leads to, and presses its buttons. */
import type { Action, Outcome } from '../outcome.ts';
import { formType } from '../read/form-message.ts';
import { sendRequest, type CallbackReply } from '../sandbox/index.ts';

/** How long a page may take to answer. */
const timeoutMs = 5_000;

/** The action that a submission leaves to the payer. */
export function actionOf(outcome: Outcome): Action | undefined {
  return outcome.outcome === 'pending' ? outcome.action : undefined;
}

/** Submits a form to the page that the action leads to, as the browser does when the payer presses a button. */
export async function pressButton(
  action: Action | undefined,
  fields: Readonly<Record<string, string>>,
): Promise<CallbackReply> {
  if (action?.type !== 'redirect') throw new TypeError('the action leads to no page');
  const body = new URLSearchParams(fields).toString();
  return sendRequest({ method: 'POST', url: action.url, headers: { 'Content-Type': formType }, body }, timeoutMs);
}
