/**
 * A mocha suite of the faults that every sandbox shares (`.50` to `.57` of the providers' README), for payments that
 * are never approved in the answer: the answer waits, and callbacks report how the payment ends.
 */
import assert from 'node:assert/strict';
import type { Action, Outcome } from '../outcome.ts';
import type { RoundTrip } from './round-trip.ts';
import type { AnySubmission } from './sample-payment.ts';

export interface ScenarioRulesKit<Options> {
  /** Starts a new round trip; the suite closes it. */
  readonly start: (delayMs?: number) => Promise<RoundTrip<Options>>;
  /** A new payment of this amount, which is then paid. */
  readonly payment: (amount: string) => AnySubmission;
  /** What its callbacks report in order, in the form of `reported`: `seen pending`, `done succeeded`. */
  readonly scenario: readonly string[];
  /**
   * What they report in their order of arrival for `.56`; by default the end first, then everything that came before
   * it.
   */
  readonly outOfOrder?: readonly string[];
  /** Plays the payer, if the payment waits for one: presses the button of the page that the action leads to. */
  readonly payer?: (action: Action) => Promise<void>;
  /** The answer has no page, address or code for the payer, or a fetch does not show it again. */
  readonly withoutAction?: true;
  /**
   * The provider's answer to a repetition of `.53`: the first answer again (the default), a refusal, or another
   * payment, so that no repetition is tried.
   */
  readonly repetition?: 'answered' | 'refused' | 'another';
  /**
   * What a status fetch finds for `.53`, whose answer was lost: the payment (the default), or nothing, if the provider
   * finds a payment only by its own id.
   */
  readonly lost?: 'shown' | 'no_information';
  /** What a status fetch finds if no payment was created; `nothing_charged` by default. */
  readonly never?: string;
}

/** Long enough that no connection overtakes another. */
const slowMs = 80;

/** Defines one test per rule. Uses the `describe` and `it` of the running mocha. */
export function describeScenarioRules<Options>(kit: ScenarioRulesKit<Options>): void {
  const { start, payment, scenario, payer, withoutAction = false } = kit;
  const { repetition = 'answered', lost = 'shown', never = 'nothing_charged' } = kit;
  const { outOfOrder = [...scenario.slice(-1), ...scenario.slice(0, -1)] } = kit;

  /** Defines a test with a round trip of its own. */
  function test(title: string, run: (trip: RoundTrip<Options>) => Promise<void>, delayMs?: number): void {
    it(title, async () => {
      const trip = await start(delayMs);
      try {
        await run(trip);
      } finally {
        await trip.close();
      }
    });
  }
  /** Waits until exactly this was reported, in any order: two connections may overtake each other. */
  const hears = async (trip: RoundTrip<Options>, reported: readonly string[]): Promise<void> => {
    await trip.until(() => trip.reported().length >= reported.length);
    assert.deepEqual(trip.reported().sort(), [...reported].sort());
  };
  /** Submits, and pays if the payment waits for the payer. */
  const pay = async (trip: RoundTrip<Options>, given: AnySubmission): Promise<Outcome> => {
    const outcome = await trip.submit(given);
    if (outcome.outcome === 'pending' && outcome.action) await payer?.(outcome.action);
    return outcome;
  };
  const neverMade = async (trip: RoundTrip<Options>, amount: string, expected: string): Promise<void> => {
    const given = payment(amount);
    const outcome = await trip.submit(given);
    assert.equal(outcome.outcome, expected);
    assert.deepEqual(await trip.fetched(trip.toStored(given, outcome)), [never]);
    assert.deepEqual(trip.heard, []);
  };

  describe('amounts that misbehave', () => {
    test('fails .50 and creates no payment', (trip) => neverMade(trip, '25.50', 'failed'));

    test('asks to wait once for .51', async (trip) => {
      assert.equal((await pay(trip, payment('25.51'))).outcome, 'pending');
      assert.deepEqual([trip.statuses[0], trip.statuses.length], [429, 2]);
      await hears(trip, scenario);
    });

    test('shows the page of a proxy for .52 and creates no payment', (trip) => neverMade(trip, '25.52', 'unknown'));

    const then = {
      answered: 'gives a repetition the whole answer',
      refused: 'refuses a repetition',
      another: 'knows no repetition',
    }[repetition];
    const finds = lost === 'shown' ? 'shows the payment' : 'gives no information';
    test(
      `creates a payment for .53, cuts the answer, and ${then}; a fetch ${finds}`,
      async (trip) => {
        const given = payment('25.53');
        const outcome = await trip.submit(given);
        assert.equal(outcome.outcome, 'unknown');
        const report = await trip.fetchStatus(trip.toStored(given, outcome));
        const shown = report.result === 'events' ? report.events[0] : report.result === 'waiting' ? report : undefined;
        if (lost === 'no_information') assert.equal(report.result, lost);
        else assert.ok(shown && (withoutAction || shown.action), 'a fetch does not show the payment, or how to pay it');
        const again = repetition === 'another' ? undefined : await pay(trip, given);
        if (repetition === 'refused') assert.equal(again?.outcome, 'unknown');
        if (repetition === 'answered')
          assert.ok(again?.outcome === 'pending' && (withoutAction || again.action), 'a repetition is not answered');
        if (repetition !== 'answered' && shown?.action) await payer?.(shown.action);
        await hears(trip, scenario);
      },
      slowMs,
    );

    test('delivers each callback three times for .54, always about the same fact', async (trip) => {
      await pay(trip, payment('25.54'));
      await hears(trip, [...scenario, ...scenario, ...scenario]);
      assert.equal(new Set(trip.heard.map(({ events }) => events[0]?.dedupeKey)).size, scenario.length);
    });

    test(
      'reports the first event before it answers, or before the payer’s page does, for .55',
      async (trip) => {
        assert.equal((await pay(trip, payment('25.55'))).outcome, 'pending');
        // The other events may have arrived by now if this machine was busy.
        assert.deepEqual(trip.reported().slice(0, 1), scenario.slice(0, 1));
        await hears(trip, scenario);
      },
      slowMs,
    );

    test(
      'reports the end before the rest for .56',
      async (trip) => {
        const given = payment('25.56');
        const outcome = await pay(trip, given);
        await trip.until(() => trip.heard.length >= outOfOrder.length);
        assert.deepEqual(trip.reported(), outOfOrder);
        const [end, ...rest] = trip.heard.map(({ events }) => events[0]?.orderHint ?? 0);
        assert.ok(
          rest.every((hint) => hint <= end!),
          'the end has a smaller order hint',
        );
        const [status = ''] = await trip.fetched(trip.toStored(given, outcome));
        assert.match(status, / succeeded /);
      },
      slowMs,
    );

    test(
      'signs wrongly at first for .57',
      async (trip) => {
        await pay(trip, payment('25.57'));
        await hears(trip, scenario);
        const outcomes = trip.heard.map(({ outcome }) => outcome);
        assert.deepEqual(outcomes, ['invalid_signature', ...scenario.map(() => 'accepted')]);
      },
      slowMs,
    );
  });
}
