/** The payer's visit to D's page: the adapter behind real HTTP, its own sandbox, and a browser between them. */
import type { Outcome, StoredPayment, Submission } from '@paywright/contract';
import { sendRequest, type CallbackReply } from '@paywright/contract/sandbox';
import { startRoundTrip, type Heard, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import providerD from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness, encoded } from '../messages.ts';

const { options, submission } = harness;

export interface Opened {
  readonly given: Submission<'billing'>;
  readonly outcome: Outcome;
  readonly stored: StoredPayment;
  /** The address of the page. */
  readonly url: string;
}

export interface Visit {
  readonly trip: RoundTrip<Options>;
  /** Orders a page. Its answer must be the redirect to it. */
  open(given?: Submission<'billing'>): Promise<Opened>;
  /** Pays on the page and follows the browser's return. Returns its operation and code. */
  pay(url: string, pan?: string): Promise<string>;
  /** Acknowledged statuses that D's servers sent. */
  posted(): string[];
  /** Waits until exactly these statuses were posted, in any order: two connections may overtake each other. */
  hears(...statuses: readonly string[]): Promise<void>;
  heardOf(kind: string): Heard['events'];
}

let count = 0;

export function payment(amount = '25.9', currency = 'EUR'): Submission<'billing'> {
  count += 1;
  const paymentRequestId = String(count);
  return { ...submission, paymentRequestId, reference: `GW-${count}-1`, money: { amount, currency }, sandbox: true };
}

export function get(url: string): Promise<CallbackReply> {
  return sendRequest({ method: 'GET', url }, 2000);
}

/** Presses a button of the page. */
export function choose(url: string, fields: Readonly<Record<string, string>>): Promise<CallbackReply> {
  return sendRequest({ method: 'POST', url, body: encoded(fields) }, 2000);
}

function locationOf({ headers }: CallbackReply): string {
  return Object.fromEntries(headers)['Location'] ?? '';
}

/** The browser follows D's redirect to the gateway and is redirected again. Returns its operation and code. */
export async function land(sent: CallbackReply): Promise<string> {
  expect(sent.status).to.equal(303);
  const back = await get(locationOf(sent));
  expect(back.status).to.equal(303);
  expect(locationOf(back)).to.match(/^http:\/\/127\.0\.0\.1:\d+\/pay\/\d+$/);
  const data = new URL(locationOf(sent)).searchParams.get('d_data') ?? '';
  const { D_Op, D_Code } = JSON.parse(Buffer.from(data, 'base64').toString()) as Record<string, string>;
  return `${D_Op}:${D_Code}`;
}

export async function startVisit(delayMs = 8): Promise<Visit> {
  const trip = await startRoundTrip({ adapter: providerD, createSandbox, options, delayMs });
  const posted = (): string[] => trip.deliveries.filter(({ acknowledged }) => acknowledged).map(({ name }) => name);
  return {
    trip,
    async open(given = payment()) {
      const outcome = await trip.submit(given);
      expect(outcome).to.include({ outcome: 'pending' });
      const stored = trip.toStored(given, outcome);
      const url = stored.action?.type === 'redirect' ? stored.action.url : '';
      return { given, outcome, stored, url };
    },
    pay: async (url, pan = '4111111111111111') => land(await choose(url, { pan, choice: 'pay' })),
    posted,
    async hears(...statuses) {
      await trip.until(() => posted().length >= statuses.length);
      expect(posted().sort()).to.deep.equal([...statuses].sort());
    },
    heardOf: (kind) => trip.heard.flatMap(({ events }) => events).filter((event) => event.kind === kind),
  };
}
