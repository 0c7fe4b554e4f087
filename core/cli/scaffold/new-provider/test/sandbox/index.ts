// for: billing
//: import type { Action, Submission } from '@paywright/contract';
// end
// for: card token upi
import type { Submission } from '@paywright/contract';
// end
// for: card billing token
import { sendRequest } from '@paywright/contract/sandbox';
// end
import {
  // for: card token
  describeAmountRules,
  // end
  // for: billing upi
  //: describeScenarioRules,
  // end
  firstRefund,
  fixture,
  sampleSubmission,
  startRoundTrip,
  type RoundTrip,
} from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import newProvider from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { events } from '../../sandbox/trigger.ts';

const { options } = fixture(import.meta.url, 'vectors.json') as { options: Options };
const start = async (delayMs?: number): Promise<RoundTrip<Options>> =>
  startRoundTrip({ adapter: newProvider, createSandbox, options, ...(delayMs !== undefined && { delayMs }) });

// for: card billing token
const currency = 'EUR';
// end
// for: upi
//: const currency = 'INR';
// end
/** The statuses of New Provider with their meanings. */
const reports = {
  paid: 'paid succeeded',
  waiting: 'waiting pending',
  // for: card token
  refused: 'refused failed',
  challenge: 'challenge pending',
  // end
  refundDone: 'done succeeded',
  refunded: 'refunded succeeded',
} as const;

let count = 0;
// for: billing upi
//: function payment(amount = '25.9'): Submission {
// end
// for: card token
function payment(amount = '25.9', number = '4111111111111111'): Submission {
  // end
  count += 1;
  return {
    ...sampleSubmission,
    // for: billing
    //: input: 'billing',
    // end
    // for: token
    //: input: 'token',
    // end
    // for: upi
    //: input: 'upi',
    // end
    // for: billing token upi
    //: card: undefined,
    // end
    sandbox: true,
    reference: `GW-${10_000 + count}-1`,
    money: { amount, currency },
    // for: card
    card: { ...sampleSubmission.card, number },
    // end
    // for: token
    //: token: `token-${number}`,
    // end
    // for: upi
    //: upiId: 'payer@bank',
    // end
  };
}
// for: billing
//:
//: /** Presses the button of New Provider's page. */
//: async function press(action: Action | undefined): Promise<void> {
//:   const url = action?.type === 'redirect' ? action.url : '';
//:   expect((await sendRequest({ method: 'POST', url, body: 'choice=pay' }, 2000)).status).to.equal(303);
//: }
// end
// for: card token

/** Presses a button of the bank's page; gives what the payer's browser then brings to the gateway. */
async function press(url: string, choice: string, session: string): Promise<Record<string, string>> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
  const body = new URLSearchParams({ choice, threeDSSessionData: session }).toString();
  const { status, body: answer } = await sendRequest({ method: 'POST', url: `${url}/answer`, headers, body }, 2000);
  expect(status).to.equal(200);
  return (JSON.parse(Buffer.from(answer).toString()) as { readonly fields: Record<string, string> }).fields;
}
// end

describe('New Provider and its sandbox', () => {
  async function withTrip(run: (trip: RoundTrip<Options>) => Promise<void>): Promise<void> {
    const trip = await start();
    try {
      await run(trip);
    } finally {
      await trip.close();
    }
  }

  it('agree on a payment from its submission to its refund', () =>
    withTrip(async (trip) => {
      const given = payment();
      const outcome = await trip.submit(given);
      // for: card token
      expect(outcome.outcome).to.equal('succeeded');
      // end
      // for: upi
      //: expect(outcome).to.deep.include({ outcome: 'pending' });
      // end
      // for: billing
      //: await press(outcome.outcome === 'pending' ? outcome.action : undefined);
      // end
      await trip.until(() => trip.reported().length === 1);
      expect(trip.reported()).to.deep.equal([reports.paid]);
      const stored = trip.toStored(given, outcome);
      expect(await trip.fetched(stored)).to.deep.equal([`${reports.paid} 25.90`]);
      const refund = { reference: `${given.reference}-R1`, money: { amount: '10', currency }, ...firstRefund };
      expect((await newProvider.refund!(stored, refund, trip.provider)).outcome).to.equal('pending');
      await trip.until(() => trip.reported().length === 2);
      expect(trip.reported()).to.deep.equal([reports.paid, reports.refundDone]);
      expect(await trip.fetched(stored)).to.deep.equal([`${reports.paid} 25.90`, `${reports.refunded} 10.00`]);
    }));
  // for: card token

  it('declines immediately or later', () =>
    withTrip(async (trip) => {
      expect(await trip.submit(payment('25.9', '4000000000009995'))).to.include({ outcome: 'failed', decline: '51' });
      expect(await trip.submit(payment('25.9', '4000000000003089'))).to.include({ outcome: 'pending' });
      await trip.until(() => trip.reported().length === 2);
      expect(trip.reported()).to.deep.equal([reports.refused, reports.refused]);
    }));

  for (const [choice, expected, reported] of [
    ['pass', { outcome: 'succeeded', threeDs: 'authenticated' }, reports.paid],
    ['fail', { outcome: 'failed', decline: '05', threeDsResult: 'N' }, reports.refused],
  ] as const) {
    it(`send the payer to the bank and complete the result: ${choice}`, () =>
      withTrip(async (trip) => {
        const given = { ...payment(), is3ds: true };
        const outcome = await trip.submit(given);
        const action = outcome.outcome === 'pending' ? outcome.action : undefined;
        if (action?.type !== 'redirect') throw new Error(`no way to the bank: ${JSON.stringify(outcome)}`);
        const stored = trip.toStored(given, outcome);
        expect(await trip.complete(stored)).to.deep.equal(outcome);
        expect(await trip.fetched(stored)).to.deep.equal([`${reports.challenge} 25.90`]);

        const posted = await press(action.url, choice, action.fields?.['threeDSSessionData'] ?? '');
        expect(posted['threeDSSessionData']).to.equal(trip.provider.threeDsToken);
        const report = await trip.fetchStatus(stored);
        expect(report.result === 'events' && report.events[0]?.awaitsCompletion).to.equal(true);
        expect(await trip.complete(stored, posted)).to.include(expected);
        expect(await trip.complete(stored, posted)).to.include(expected);
        await trip.until(() => trip.reported().length === 1);
        expect(trip.reported()).to.deep.equal([reported]);
      }));
  }
  // end

  it('sends every message on demand, even about an unknown payment', () =>
    withTrip(async (trip) => {
      const facts = { reference: 'GW-900-1', providerReference: null, money: { amount: '1', currency } };
      for (const event of events) {
        const [answer] = await trip.trigger({ ...facts, event, times: 1, forge: false });
        expect(answer?.status).to.equal(200);
        const [reported] = trip.heard.at(-1)!.events;
        expect(event).to.equal(`${reported?.kind} ${reported?.providerStatus}`);
        expect(reported?.status).to.not.equal('unknown');
      }
      await trip.trigger({ ...facts, event: events[0]!, times: 1, forge: true });
      expect(trip.heard.at(-1)?.outcome).to.equal('invalid_signature');
    }));
});

describe('the sandbox of New Provider', () => {
  // for: card token
  describeAmountRules({
    start,
    payment,
    pending: (amount) => payment(amount, '4000000000003063'),
    paid: reports.paid,
    waits: reports.waiting,
    never: 'no_information',
  });
  // end
  // for: billing upi
  //: describeScenarioRules({
  //:   start,
  //:   payment,
  // end
  // for: billing
  //:   payer: press,
  // end
  // for: billing upi
  //:   scenario: [reports.paid],
  //:   outOfOrder: [reports.paid, reports.waiting],
  //:   never: 'no_information',
  //: });
  // end
});
