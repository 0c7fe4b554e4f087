/** Mollie's options and errors; the harness makes the payment, the calls and the callbacks. */
import type { HttpReply } from '@paywright/contract';
import { createAdapterHarness, reply } from '@paywright/contract/testing';
import mollie from '../index.ts';

export const harness = createAdapterHarness(mollie, {
  options: {
    baseUrl: 'https://api.mollie.com',
    sandboxBaseUrl: 'https://api.mollie.com',
    apiKey: 'test_openTestKey0123456789abc',
  },
  now: new Date('2026-11-21T09:00:00.000Z'),
  input: 'billing',
  payment: { sandbox: true },
});

/** Mollie's error of this status. */
export function refusal(status: number, members: Readonly<Record<string, unknown>> = {}): HttpReply {
  return reply(status, { status, title: 'Title', detail: 'for people', _links: {}, ...members });
}
