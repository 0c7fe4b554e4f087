/** Connects the adapter over real HTTP with its own sandbox, and plays the payer's browser between them. */
import type { Outcome, StoredPayment, Submission } from '@paywright/contract';
import { sendRequest, type CallbackReply, type DeliveryReport } from '@paywright/contract/sandbox';
import { firstRefund, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import providerF from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness } from '../messages.ts';

const { options, submission } = harness;

export interface Visit {
  readonly trip: RoundTrip<Options>;
  /**
   * Submits a payment of the payer with this e-mail address. Returns the outcome and the stored payment for later
   * calls.
   */
  buy(given: Submission<'billing'>): Promise<{ readonly outcome: Outcome; readonly stored: StoredPayment }>;
  /** Presses a button of the wallet's page. */
  choose(stored: StoredPayment, choice: string): Promise<CallbackReply>;
  refund(stored: StoredPayment, n: number, amount: string): Promise<Outcome>;
  /**
   * Fetches, and notifies the sandbox that the change was seen, as core does after a ping. Returns the result of
   * `fetched`.
   */
  see(stored: StoredPayment): Promise<string[]>;
  /** Pings so far whose name starts with this text: `ping settled 1`. */
  pings(name?: string): DeliveryReport[];
  /** Waits for this many of them. */
  pinged(count: number, name?: string): Promise<void>;
}

let count = 0;

export function payment(local: string, amount = '25.9', currency = 'EUR'): Submission<'billing'> {
  count += 1;
  const paymentRequestId = String(count);
  const payer = { ...submission.payer, email: `${local}@shop.example` };
  return {
    ...submission,
    paymentRequestId,
    reference: `GW-${count}-1`,
    payer,
    money: { amount, currency },
    sandbox: true,
  };
}

export function get(url: string): Promise<CallbackReply> {
  return sendRequest({ method: 'GET', url }, 2000);
}

export function locationOf({ headers }: CallbackReply): string {
  return Object.fromEntries(headers)['Location'] ?? '';
}

export function urlOf({ action }: StoredPayment): string {
  return action?.type === 'redirect' ? action.url : '';
}

export async function startVisit(given: Options = options, delayMs = 8): Promise<Visit> {
  const trip = await startRoundTrip({ adapter: providerF, createSandbox, options: given, delayMs });
  const pings = (name = ''): DeliveryReport[] => trip.deliveries.filter((one) => one.name.startsWith(`ping ${name}`));
  return {
    trip,
    async buy(submitted) {
      const outcome = await trip.submit(submitted);
      return { outcome, stored: trip.toStored(submitted, outcome) };
    },
    choose: (stored, choice) => sendRequest({ method: 'POST', url: urlOf(stored), body: `choice=${choice}` }, 2000),
    refund(stored, n, amount) {
      const money = { amount, currency: stored.money.currency };
      return providerF.refund!(
        stored,
        { reference: `${stored.reference}-R${n}`, money, ...firstRefund },
        trip.provider,
      );
    },
    async see(stored) {
      const report = await trip.fetchStatus(stored);
      if (report.result !== 'events') return [report.result];
      expect(await providerF.markSeen!(stored, report.seenToken!, trip.provider)).to.equal('done');
      return report.events.map(
        (event) => `${event.providerStatus} ${providerF.mapStatus(event, 'fetch')} ${event.amount}`,
      );
    },
    pings,
    pinged: (wanted, name) => trip.until(() => pings(name).length >= wanted),
  };
}
