/** A mocha suite of the faults that every sandbox shares, by the amount: `.50` to `.57` of the providers' README. */
import assert from 'node:assert/strict';
import type { RoundTrip } from './round-trip.ts';
import type { AnySubmission } from './sample-payment.ts';

export interface AmountRulesKit<Options> {
  /** Starts a new round trip; the suite closes it. */
  readonly start: (delayMs?: number) => Promise<RoundTrip<Options>>;
  /** A new payment of this amount, approved in the answer. */
  readonly payment: (amount: string) => AnySubmission;
  /** A new payment of this amount, answered as pending and then approved; absent if the provider has none. */
  readonly pending?: (amount: string) => AnySubmission;
  /** What the only callback of an approved payment reports, in the form of `reported`: `CAPTURE:true succeeded`. */
  readonly paid: string;
  /** What was reported before it, and comes after it for `.56`. */
  readonly waits: string;
  /** What a status fetch finds if nothing was charged; `nothing_charged` by default. */
  readonly never?: string;
  /**
   * The provider's answer to a repetition of `.53`: the first answer again (the default), or a refusal as a duplicate,
   * which is `unknown` until a fetch says more.
   */
  readonly repetition?: 'answered' | 'refused';
}

/** Defines one test per rule. Uses the `describe` and `it` of the running mocha. */
export function describeAmountRules<Options>(kit: AmountRulesKit<Options>): void {
  const { payment, pending, paid, waits, never = 'nothing_charged', repetition = 'answered' } = kit;

  /** Defines a test with a round trip of its own. */
  function test(title: string, run: (trip: RoundTrip<Options>) => Promise<void>): void {
    it(title, async () => {
      const trip = await kit.start();
      try {
        await run(trip);
      } finally {
        await trip.close();
      }
    });
  }
  const hears = async (trip: RoundTrip<Options>, ...reported: readonly string[]): Promise<void> => {
    await trip.until(() => trip.reported().length >= reported.length);
    assert.deepEqual(trip.reported(), reported);
  };

  describe('amounts that misbehave', () => {
    test('fails .50 and charges nothing', async (trip) => {
      const given = payment('25.50');
      const outcome = await trip.submit(given);
      assert.equal(outcome.outcome === 'failed' && outcome.nothingCharged, true);
      assert.deepEqual(await trip.fetched(trip.toStored(given, outcome)), [never]);
    });

    test('asks to wait once for .51', async (trip) => {
      assert.equal((await trip.submit(payment('25.51'))).outcome, 'succeeded');
      const refused = trip.statuses.filter((status) => status === 429);
      assert.equal(refused.length, 1, `answered ${trip.statuses.join(', ')}: once 429, and the repetition as usual`);
    });

    test('shows the page of a proxy for .52 and charges nothing', async (trip) => {
      const given = payment('25.52');
      const outcome = await trip.submit(given);
      assert.equal(outcome.outcome, 'unknown');
      assert.deepEqual(await trip.fetched(trip.toStored(given, outcome)), [never]);
    });

    const then = repetition === 'answered' ? 'gives a repetition the whole answer' : 'refuses a repetition';
    test(`charges .53, cuts the answer, and ${then}`, async (trip) => {
      const given = payment('25.53');
      const outcome = await trip.submit(given);
      assert.equal(outcome.outcome, 'unknown');
      await hears(trip, paid);
      assert.equal((await trip.submit(given)).outcome, repetition === 'answered' ? 'succeeded' : 'unknown');
      const [status = ''] = await trip.fetched(trip.toStored(given, outcome));
      assert.match(status, / succeeded /);
      assert.deepEqual(trip.reported(), [paid]);
    });

    test('delivers three times for .54, always the same callback', async (trip) => {
      await trip.submit(payment('25.54'));
      await hears(trip, paid, paid, paid);
      assert.equal(new Set(trip.heard.map(({ events }) => JSON.stringify(events))).size, 1);
    });

    test('reports before it answers for .55', async (trip) => {
      assert.equal((await trip.submit(payment('25.55'))).outcome, 'succeeded');
      assert.deepEqual(trip.reported(), [paid]);
      if (!pending) return;
      assert.equal((await trip.submit(pending('25.55'))).outcome, 'pending');
      assert.deepEqual(trip.reported(), [paid, paid]);
    });

    const reportsBackwards = async (trip: RoundTrip<Options>, given: AnySubmission): Promise<void> => {
      const outcome = await trip.submit(given);
      await hears(trip, paid, waits);
      const [end, wait] = trip.heard.flatMap(({ events }) => events);
      const inOrder = end?.orderHint === undefined || end.orderHint > (wait?.orderHint ?? 0);
      assert.equal(inOrder, true, 'the end has the smaller order hint');
      const [status = ''] = await trip.fetched(trip.toStored(given, outcome));
      assert.match(status, / succeeded /);
    };
    test('reports the end before the wait for .56', (trip) => reportsBackwards(trip, payment('25.56')));
    if (pending) {
      test('reports the end before the wait for .56, also if the answer is pending', (trip) =>
        reportsBackwards(trip, pending('25.56')));
    }

    test('signs wrongly at first for .57', async (trip) => {
      await trip.submit(payment('25.57'));
      await hears(trip, paid);
      const outcomes = trip.heard.map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ['invalid_signature', 'accepted']);
    });
  });
}
