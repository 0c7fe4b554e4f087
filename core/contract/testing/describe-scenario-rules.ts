/**
 * A mocha suite of the faults that every sandbox shares (`.50` to `.57` of the providers' README), for payments that
 * are never approved in the answer: the answer waits, and callbacks report how the payment ends.
 *
 * No test depends on how fast the machine or the sandbox is: each waits for a condition, and accepts each state that
 * the payment can be in at that time.
 */
import assert from 'node:assert/strict';
import { defined } from '../http/defined.ts';
import type { Action, Outcome } from '../outcome.ts';
import type { StoredPayment } from '../payment.ts';
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
  readonly payer?: (action: Action, sandboxUrl: string) => Promise<unknown>;
  /** The answer has no page, address or code for the payer, or a fetch does not show it again. */
  readonly withoutAction?: boolean;
  /**
   * The call that charges, whose answer `.53` cuts: the submission (the default), or `complete`, if the submission
   * creates an order that charges nothing and core charges it when the payer returns. An answer that the submission of
   * such an order loses means that nothing was charged.
   */
  readonly chargedBy?: 'submit' | 'complete';
  /**
   * The provider's answer to a repetition of the call that `.53` cut: the first answer again (the default), a refusal,
   * or another payment, so that no repetition is tried.
   */
  readonly repetition?: 'answered' | 'refused' | 'another';
  /**
   * What a status fetch finds for `.53`, whose answer was lost: the payment (the default), or nothing, if the provider
   * finds a payment only by its own id. `unpayable`: the submission creates a page and charges nothing, and no fetch
   * shows its address again. The order is never paid, and core makes another attempt.
   */
  readonly lost?: 'shown' | 'no_information' | 'unpayable';
  /** What a status fetch finds if no payment was created; `nothing_charged` by default. */
  readonly never?: string;
}

/** One rule of the suite. */
export interface ScenarioRule {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/** Defines one test per rule. Uses the `describe` and `it` of the running mocha. */
export function describeScenarioRules<Options>(kit: ScenarioRulesKit<Options>): void {
  describe('amounts that misbehave', () => {
    for (const { title, run } of scenarioRules(kit)) it(title, run);
  });
}

/** The payment of one test. */
interface Begun {
  readonly outcome: Outcome;
  readonly stored: StoredPayment;
}

/** The suite's way through a payment. */
interface Play<Options> extends ScenarioRulesKit<Options> {
  /** What the provider's kit chose, or the default. */
  readonly repetition: 'answered' | 'refused' | 'another';
  readonly lost: 'shown' | 'no_information' | 'unpayable';
  /** Submits, and plays the payer if the payment waits for one. */
  begin(trip: RoundTrip<Options>, given: AnySubmission): Promise<Begun>;
  /** Begins a payment of this amount, expects that it waits, and charges it. */
  pay(trip: RoundTrip<Options>, amount: string): Promise<Begun>;
  /** Calls `complete` with what the payer's browser brought. */
  complete(trip: RoundTrip<Options>, stored: StoredPayment): Promise<Outcome>;
}

function createPlay<Options>(kit: ScenarioRulesKit<Options>): Play<Options> {
  const { payment, payer, chargedBy, repetition = 'answered', lost = 'shown' } = kit;
  const play: Play<Options> = {
    ...kit,
    repetition,
    lost,
    async begin(trip, given) {
      const outcome = await trip.submit(given);
      if (outcome.outcome === 'pending' && outcome.action) await payer?.(outcome.action, trip.sandboxUrl);
      return { outcome, stored: trip.toStored(given, outcome) };
    },
    async pay(trip, amount) {
      const begun = await play.begin(trip, payment(amount));
      assert.equal(begun.outcome.outcome, 'pending');
      if (chargedBy !== 'complete') return begun;
      const completed = await play.complete(trip, begun.stored);
      assert.equal(completed.outcome, 'succeeded');
      return { ...begun, stored: withOutcome(begun.stored, completed) };
    },
    complete: (trip, stored) => trip.complete(stored, trip.returns.at(-1)?.brought),
  };
  return play;
}

function withOutcome(stored: StoredPayment, outcome: Outcome): StoredPayment {
  const { providerReference, providerReferences, adapterState } = outcome;
  return { ...stored, ...defined({ providerReference, providerReferences, adapterState }) };
}

/** Runs with a round trip of its own. */
async function withTrip<Options, T>(
  { start }: ScenarioRulesKit<Options>,
  run: (trip: RoundTrip<Options>) => Promise<T>,
  delayMs?: number,
): Promise<T> {
  const trip = await start(delayMs);
  try {
    return await run(trip);
  } finally {
    await trip.close();
  }
}

/** Waits until exactly this was reported, in any order. */
async function hears<Options>(trip: RoundTrip<Options>, reported: readonly string[]): Promise<void> {
  await trip.until(() => trip.reported().length >= reported.length);
  assert.deepEqual(trip.reported().sort(), [...reported].sort());
}

/** The rules, in the order of the amounts. */
export function scenarioRules<Options>(kit: ScenarioRulesKit<Options>): ScenarioRule[] {
  const { payment, scenario, chargedBy = 'submit', never = 'nothing_charged' } = kit;
  const { outOfOrder = [...scenario.slice(-1), ...scenario.slice(0, -1)] } = kit;
  const play = createPlay(kit);
  const mayCharge = chargedBy === 'submit' && play.lost !== 'unpayable';
  const rule = (title: string, run: (trip: RoundTrip<Options>) => Promise<void>): ScenarioRule => ({
    title,
    run: () => withTrip(kit, run),
  });
  const neverMade = async (trip: RoundTrip<Options>, amount: string, expected: string): Promise<void> => {
    const given = payment(amount);
    const outcome = await trip.submit(given);
    assert.equal(outcome.outcome, expected);
    assert.deepEqual(await trip.fetched(trip.toStored(given, outcome)), [never]);
    assert.deepEqual(trip.heard, []);
  };
  return [
    rule('fails .50 and creates no payment', (trip) => neverMade(trip, '25.50', 'failed')),

    rule('asks to wait once for .51', async (trip) => {
      await play.pay(trip, '25.51');
      assert.equal(trip.statuses.filter((status) => status === 429).length, 1, `answered ${trip.statuses.join(', ')}`);
      await hears(trip, scenario);
    }),

    rule('shows the page of a proxy for .52 and creates no payment', (trip) =>
      neverMade(trip, '25.52', mayCharge ? 'unknown' : 'failed'),
    ),

    chargedBy === 'complete' ? lostCompletion(play) : mayCharge ? lostSubmission(play) : lostPage(play),

    rule('delivers each callback three times for .54, always about the same fact', async (trip) => {
      await play.pay(trip, '25.54');
      await hears(trip, [...scenario, ...scenario, ...scenario]);
      assert.equal(new Set(trip.heard.map(({ events }) => events[0]?.dedupeKey)).size, scenario.length);
    }),

    rule('reports the first event before it answers, or before the payer’s page does, for .55', async (trip) => {
      await play.pay(trip, '25.55');
      // The other events may have arrived by now if this machine was busy.
      assert.deepEqual(trip.reported().slice(0, 1), scenario.slice(0, 1));
      await hears(trip, scenario);
    }),

    rule('reports the end before the rest for .56', async (trip) => {
      const { stored } = await play.pay(trip, '25.56');
      await trip.until(() => trip.heard.length >= outOfOrder.length);
      assert.deepEqual(trip.reported(), outOfOrder);
      const hints = trip.heard.flatMap(({ events }) => events.map(({ orderHint = 0 }) => orderHint));
      const ofEnd = hints[outOfOrder.indexOf(scenario.at(-1)!)]!;
      assert.ok(Math.max(...hints) === ofEnd, 'the end has a smaller order hint');
      const [status = ''] = await trip.fetched(stored);
      assert.match(status, / succeeded /);
    }),

    rule('signs wrongly at first for .57', async (trip) => {
      await play.pay(trip, '25.57');
      await hears(trip, scenario);
      const outcomes = trip.heard.map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ['invalid_signature', ...scenario.map(() => 'accepted')]);
    }),
  ];
}

function titleOfRest<Options>({ repetition, lost }: Play<Options>): string {
  const then = {
    answered: 'gives a repetition the whole answer',
    refused: 'refuses a repetition',
    another: 'knows no repetition',
  }[repetition];
  return `cuts the answer, and ${then}; a fetch ${lost === 'shown' ? 'shows the payment' : 'gives no information'}`;
}

/**
 * The sandbox delays for the fetch and the repetition of `.53`. A sandbox that settles without the payer may be faster
 * than this machine; the round trip is then repeated with the next delay.
 */
const patientDelaysMs = [80, 400, 2_000];

/** `.53` of a submission that only creates a page: the payer never gets its address, and the next attempt is paid. */
function lostPage<Options>(play: Play<Options>): ScenarioRule {
  const { payment, scenario } = play;
  const run = async (trip: RoundTrip<Options>): Promise<void> => {
    const given = payment('25.53');
    const outcome = await trip.submit(given);
    assert.equal(outcome.outcome === 'failed' && outcome.nothingCharged, true, 'a lost page may have charged');
    const lost = await trip.fetched(trip.toStored(given, outcome));
    assert.deepEqual(lost.filter(isPaid), [], 'a page that no payer has seen is paid');
    await play.pay(trip, '25.00');
    await hears(trip, scenario);
    assert.deepEqual((await trip.fetched(trip.toStored(given, outcome))).filter(isPaid), []);
  };
  return {
    title: 'creates a page for .53 that is lost and never paid, and another attempt is paid',
    run: () => withTrip(play, run),
  };
}

/** `<provider status> <status> <amount>` of an event about money that arrived or was reserved. */
function isPaid(fetched: string): boolean {
  return / (?:succeeded|overpaid|late|authorised) /.test(fetched);
}

/** `.53` of a submission: the payment exists, the answer was cut, and nothing was shown to the payer. */
function lostSubmission<Options>(play: Play<Options>): ScenarioRule {
  return {
    title: `creates a payment for .53, ${titleOfRest(play)}`,
    async run() {
      for (const delayMs of patientDelaysMs) {
        const wasInTime = await withTrip(play, (trip) => loseSubmission(play, trip), delayMs);
        if (wasInTime) return;
      }
    },
  };
}

/** Returns false if the payment ended before it was seen waiting. Every other assertion holds for an ended one, too. */
async function loseSubmission<Options>(play: Play<Options>, trip: RoundTrip<Options>): Promise<boolean> {
  const { payment, payer, repetition, scenario, withoutAction = false } = play;
  const given = payment('25.53');
  const outcome = await trip.submit(given);
  assert.equal(outcome.outcome, 'unknown');
  const found = await findLost(play, trip, trip.toStored(given, outcome));
  const again = repetition === 'another' ? undefined : (await play.begin(trip, given)).outcome;
  if (repetition === 'refused') assert.equal(again?.outcome, 'unknown');
  if (repetition === 'answered') {
    const isWaiting = again?.outcome === 'pending' && (withoutAction || again.action !== undefined);
    assert.ok(isWaiting || again?.outcome === 'succeeded', 'a repetition is not answered');
  }
  if (repetition !== 'answered' && found.action) await payer?.(found.action, trip.sandboxUrl);
  await hears(trip, scenario);
  return !found.isEnded && again?.outcome !== 'succeeded';
}

interface Found {
  readonly action?: Action | undefined;
  /** The payment is paid. */
  readonly isEnded: boolean;
}

/** The payment of a lost answer as a fetch shows it: how to pay it, or that it is paid. */
async function findLost<Options>(
  { lost, withoutAction = false }: Play<Options>,
  trip: RoundTrip<Options>,
  stored: StoredPayment,
): Promise<Found> {
  const report = await trip.fetchStatus(stored);
  if (lost === 'no_information') {
    assert.equal(report.result, lost);
    return { isEnded: false };
  }
  const shown = report.result === 'events' ? report.events[0] : report.result === 'waiting' ? report : undefined;
  assert.ok(shown, `a fetch does not show the payment: ${report.result}`);
  const [status = ''] = await trip.fetched(stored);
  const isEnded = / succeeded /.test(status);
  assert.ok(isEnded || withoutAction || shown.action, 'a fetch does not show how to pay the payment');
  return { action: shown.action, isEnded };
}

/** `.53` of `complete`: the money was charged, and the answer was cut. */
function lostCompletion<Options>(play: Play<Options>): ScenarioRule {
  const { payment, scenario, repetition, lost } = play;
  const run = async (trip: RoundTrip<Options>): Promise<void> => {
    const begun = await play.begin(trip, payment('25.53'));
    assert.equal(begun.outcome.outcome, 'pending');
    const cut = await play.complete(trip, begun.stored);
    assert.equal(cut.outcome, 'unknown');
    await hears(trip, scenario);
    const stored = withOutcome(begun.stored, cut);
    const [status = ''] = await trip.fetched(stored);
    if (lost === 'shown') assert.match(status, / succeeded /);
    else assert.equal(status, lost);
    if (repetition === 'another') return;
    const again = await play.complete(trip, stored);
    assert.equal(again.outcome, repetition === 'answered' ? 'succeeded' : 'unknown');
  };
  return { title: `charges .53 by complete, ${titleOfRest(play)}`, run: () => withTrip(play, run) };
}
