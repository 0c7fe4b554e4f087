/**
 * The misbehaviour that every sandbox shares (`.50` to `.57` of providers' README), as a mocha suite, for payments that
 * are never approved in the answer: the answer waits, and callbacks report how the payment comes to its end.
 */
import assert from 'node:assert/strict';
import type { Action, Outcome } from '../outcome.ts';
import type { Submission } from '../payment.ts';
import type { RoundTrip } from './round-trip.ts';

export interface ScenarioRulesKit<Options> {
  /** A new round trip; the suite closes it. */
  readonly start: (delayMs?: number) => Promise<RoundTrip<Options>>;
  /** A new payment of this amount, which is then paid. */
  readonly payment: (amount: string) => Submission;
  /** What its callbacks report in order, as `reported` writes it: `seen pending`, `done succeeded`. */
  readonly scenario: readonly string[];
  /** What they report in their order of arrival for `.56`; by default the end first, then all that comes before it. */
  readonly outOfOrder?: readonly string[];
  /** Plays the payer, where the payment waits for one: presses the button of the page that the action leads to. */
  readonly payer?: (action: Action) => Promise<void>;
  /** The answer has no page, address or code for the payer, or a fetch does not show it again. */
  readonly withoutAction?: true;
  /**
   * What the provider makes of a repetition of `.53`: it gives the answer again (the default), refuses it, or makes another
   * payment, so that none is tried.
   */
  readonly repetition?: 'answered' | 'refused' | 'another';
  /**
   * What a status fetch finds of `.53`, whose answer was lost: the payment (the default), or nothing, where the provider
   * finds a payment only by its own id.
   */
  readonly lost?: 'shown' | 'no_information';
  /** What a status fetch finds where nothing was made; `nothing_charged` by default. */
  readonly never?: string;
}

/** Far enough apart that no connection overtakes another. */
const slowMs = 80;

/** One test per rule. Uses the `describe` and `it` of the running mocha. */
export function describeScenarioRules<Options>(kit: ScenarioRulesKit<Options>): void {
  const { start, payment, scenario, payer, withoutAction = false } = kit;
  const { repetition = 'answered', lost = 'shown', never = 'nothing_charged' } = kit;
  const { outOfOrder = [...scenario.slice(-1), ...scenario.slice(0, -1)] } = kit;

  /** Makes a test that has a round trip of its own. */
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
  /** Submits, and pays where the payer must. */
  const pay = async (trip: RoundTrip<Options>, given: Submission): Promise<Outcome> => {
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
    test('fails .50 and makes nothing', (trip) => neverMade(trip, '25.50', 'failed'));

    test('asks to wait once for .51', async (trip) => {
      assert.equal((await pay(trip, payment('25.51'))).outcome, 'pending');
      assert.deepEqual([trip.statuses[0], trip.statuses.length], [429, 2]);
      await hears(trip, scenario);
    });

    test('shows the page of a proxy for .52 and makes nothing', (trip) => neverMade(trip, '25.52', 'unknown'));

    const then = {
      answered: 'gives it whole to a repetition',
      refused: 'refuses a repetition',
      another: 'knows no repetition',
    }[repetition];
    const finds = lost === 'shown' ? 'shows the payment' : 'gives no information';
    test(
      `makes .53, cuts the answer, and ${then}; a fetch ${finds}`,
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
      'reports the first before it answers, or before the payer’s page does, for .55',
      async (trip) => {
        assert.equal((await pay(trip, payment('25.55'))).outcome, 'pending');
        // The others may have come by now, where this machine was busy.
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
      'signs wrongly first for .57',
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
