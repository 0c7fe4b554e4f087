/** Connects the adapter over real HTTP with its own sandbox. */
import type { AdapterContext, HttpRequest, Outcome, StoredPayment, Submission } from '@paywright/contract';
import { firstRefund, startRoundTrip, type Heard, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import providerG from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness, providerSide } from '../messages.ts';

const { options, submission } = harness;

export interface Visit {
  readonly trip: RoundTrip<Options>;
  /** The payment as calls receive it: with a 3D Secure token. */
  readonly ctx: AdapterContext<Options>;
  /** Waits until exactly these events were reported, in any order: two connections may overtake each other. */
  hears(...reported: readonly string[]): Promise<void>;
  events(): Heard['events'];
  /** The context, which records what is sent. */
  watching(sent: HttpRequest[]): AdapterContext<Options>;
  refund(paid: StoredPayment, number: number, amount: string): Promise<Outcome>;
}

let count = 0;

export function payment(
  number = '4111111111111111',
  amount = '25.9',
  more: Partial<Submission<'card'>> = {},
): Submission<'card'> {
  count += 1;
  const card = { ...submission.card, number };
  const money = { amount, currency: 'EUR' };
  return { ...submission, reference: `GW-${count}-1`, money, sandbox: true, card, ...more };
}

export async function startVisit(
  delayMs = 8,
  side: Readonly<Record<string, unknown>> = { ...providerSide },
): Promise<Visit> {
  const trip = await startRoundTrip({ adapter: providerG, createSandbox, options, delayMs, providerSide: side });
  const ctx = { ...trip.provider, threeDsToken: 'the-token' };
  return {
    trip,
    ctx,
    async hears(...reported) {
      await trip.until(() => trip.reported().length >= reported.length);
      expect(trip.reported().sort()).to.deep.equal([...reported].sort());
    },
    events: () => trip.heard.flatMap(({ events }) => events),
    watching: (sent) => ({
      ...ctx,
      http: {
        send(request) {
          sent.push(request);
          return ctx.http.send(request);
        },
      },
    }),
    refund(paid, number, amount) {
      const request = { reference: `${paid.reference}-R${number}`, money: { ...paid.money, amount }, ...firstRefund };
      return providerG.refund!(paid, request, ctx);
    },
  };
}
