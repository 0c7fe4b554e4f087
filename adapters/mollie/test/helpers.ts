/** What the tests of this adapter share: options, a payment of the payer, pings, calls answered by script, Mollie's page. */
import { formType, v, type Action, type HttpReply, type Outcome, type Submission } from '@paywright/contract';
import { sendRequest } from '@paywright/contract/sandbox';
import {
  playCallback,
  reply,
  sampleSubmission,
  scriptedProvider,
  type CoreSays,
  type PlayedCallback,
} from '@paywright/contract/testing';
import { callback } from '../callbacks/mollie.ts';
import mollie from '../index.ts';
import { Options } from '../options.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://api.mollie.com',
  sandboxBaseUrl: 'https://api.mollie.com',
  apiKey: 'test_openTestKey0123456789abc',
});

export const now = new Date('2026-11-21T09:00:00.000Z');
export const paymentId = 'tr_5B8cwPMGnU6qLbRvo7qEZo';

const { card: _card, input: _input, ...cardless } = sampleSubmission;
export const submission: Submission<'billing'> = { input: 'billing', ...cardless, sandbox: true };

/** Mollie's error of this status. */
export function refusal(status: number, members: Readonly<Record<string, unknown>> = {}): HttpReply {
  return reply(status, { status, title: 'Title', detail: 'for people', _links: {}, ...members });
}

/** Delivers what Mollie posts; `coreSays` is what core decides once it is read. */
export function deliver(
  body: string | Uint8Array,
  contentType: string = formType,
  coreSays: CoreSays = 'accepted',
): Promise<PlayedCallback> {
  const raw = {
    method: 'POST',
    path: '/callbacks/mollie',
    query: '',
    headers: [['Content-Type', contentType]] as const,
    body: Buffer.from(body),
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
  return playCallback(mollie, callback, raw, scriptedProvider({ options, now }), coreSays);
}

/** Where a submission sends the payer. */
export function actionOf(outcome: Outcome): Action | undefined {
  return outcome.outcome === 'pending' ? outcome.action : undefined;
}

/** Presses a button of the page that the action leads to; gives the status of the answer. */
export async function press(action: Action | undefined, status: string): Promise<number> {
  if (action?.type !== 'redirect') throw new TypeError('the payer is sent to no page');
  const headers = { 'Content-Type': formType };
  return (
    await sendRequest({ method: 'POST', url: action.url, headers, body: `status=${encodeURIComponent(status)}` }, 5_000)
  ).status;
}
