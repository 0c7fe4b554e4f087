/**
 * Checks, at the package's own sandbox, that the steps of payers end as their ways say: an order that was closed is
 * never paid, and a way that charges nothing is paid only by `complete`.
 */
import type { Action } from '../../outcome.ts';
import type { UnfinishedStep } from '../../payment.ts';
import { settled } from '../play-call.ts';
import { toSubmission } from '../vector-payment.ts';
import { demand, skip, type Check } from './kit.ts';
import {
  atSandbox,
  challengedCard,
  describeOutcome,
  fetchedOf,
  payAt,
  statusOf,
  type Attempt,
  type Visit,
} from './sandbox-payment.ts';
import type { Subject } from './subject.ts';

/** Long enough that no sandbox settles a payment automatically before it is closed. */
const closeDelayMs = 1_000;
/** Enough to include each flow of a provider once. */
const maxSamples = 8;

export function unfinishedChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, kit } = subject;
  const check = (
    step: UnfinishedStep,
    title: string,
    work: (visit: Visit<Options>) => Promise<void>,
    delayMs?: number,
  ): Check[] => {
    if (!adapter.manifest.ways.some(({ unfinishedStep }) => unfinishedStep === step)) return [];
    const run = async (): Promise<void> => {
      if (!kit.sandbox) return skip('the kit has no `sandbox`, so no round trip was made');
      return atSandbox(subject, { ...kit.sandbox, ...kit.sandbox.step }, work, delayMs);
    };
    return [{ rule: 'sandbox', title, run }];
  };
  return [
    ...check(
      'close',
      'closes an unpaid order at its own sandbox, also when asked again, and the payer can then not pay it',
      closeOrder,
      closeDelayMs,
    ),
    ...check('charges_nothing', 'charges nothing at its own sandbox until `complete` is called', leaveStep),
    ...limitHints(subject),
  ];
}

/**
 * A redirect that may charge and has no time limit is never replaced. That is a hint and no fault, because a provider
 * may state no limit.
 */
function limitHints<Options>({ adapter, file, goodSubmissions, tryOptions }: Subject<Options>): Check[] {
  const { ways } = adapter.manifest;
  const options = tryOptions(file.options);
  if (options === undefined) return [];
  const methods = goodSubmissions
    .filter(({ vector }) => Object(vector.expect['action']).type === 'redirect')
    .map(({ payment }) => adapter.methodOf?.(toSubmission(adapter, payment), options) ?? ways[0].method);
  const unlimited = ways.filter(({ method, unfinishedStep = 'may_charge', stepMinutes }) => {
    return unfinishedStep === 'may_charge' && stepMinutes === undefined && methods.includes(method);
  });
  return unlimited.map(({ method }) => ({
    rule: 'ways',
    title: `limits the time of an unfinished redirect of ${method}`,
    async run() {
      skip('without `stepMinutes` core never replaces such a step: set it if the provider limits the time of its page');
    },
  }));
}

interface Waiting {
  readonly attempt: Attempt;
  readonly action: Action;
}

async function closeOrder<O>(visit: Visit<O>): Promise<void> {
  const { subject, trip } = visit;
  if (!subject.adapter.close) return skip('the adapter has no `close`');
  const { attempt, action } = await waitingPayment(visit, 'close');
  for (const which of ['`close`', 'the repeated `close`']) {
    const outcome = await settled(trip.provider, (ctx) => subject.adapter.close!(attempt.stored, ctx));
    demand(
      outcome.outcome === 'succeeded',
      `${which} of an unpaid order is ${describeOutcome(outcome)} at the sandbox`,
      'let the sandbox close an unpaid order, and answer that it is closed as often as it is asked',
    );
  }
  await playPayer(visit, action);
  await demandUnpaid(visit, attempt, 'after `close` succeeded', 'let `close` succeed only if the order cannot be paid');
}

async function leaveStep<O>(visit: Visit<O>): Promise<void> {
  const { attempt, action } = await waitingPayment(visit, 'charges_nothing');
  await playPayer(visit, action);
  // By the time when another payment is paid, the sandbox has reported what became of this one.
  await statusOf(visit, await payAt(visit, 30), ['succeeded']);
  const cure = 'set `may_charge`, or `close`, in the way: the provider charges without a call of core';
  await demandUnpaid(visit, attempt, 'before `complete` was called', cure);
}

/** Submits a payment of a way with this `unfinishedStep` that waits for its payer. */
async function waitingPayment<O>(visit: Visit<O>, step: UnfinishedStep): Promise<Waiting> {
  const { subject, sandbox, trip } = visit;
  const { adapter, goodSubmissions } = subject;
  const bodies = [
    { ...goodSubmissions[0]?.payment, ...sandbox.payment },
    ...goodSubmissions.slice(0, maxSamples).map(({ payment }) => payment),
  ];
  for (const [at, body] of bodies.entries()) {
    const isGiven = at === 0 && sandbox.step?.payment !== undefined;
    const card = isGiven || body['number'] === undefined ? {} : challengedCard;
    const facts = { ...body, ...card, isSandbox: true, reference: `GW-${7_020 + at}-1` };
    const payment = toSubmission(adapter, facts);
    const method = adapter.methodOf?.(payment, trip.provider.options) ?? adapter.manifest.ways[0].method;
    if (adapter.manifest.ways.find((way) => way.method === method)?.unfinishedStep !== step) continue;
    const outcome = await trip.submit(payment);
    const action = outcome.outcome === 'pending' ? outcome.action : undefined;
    if (!action) continue;
    return { attempt: { payment, stored: trip.toStored(payment, outcome), outcome, isCompleted: false }, action };
  }
  return skip(`no payment at the sandbox waits for its payer by a way with \`unfinishedStep: ${step}\``);
}

/** The payer tries to finish the step. The provider may refuse it. */
async function playPayer<O>({ sandbox, trip }: Visit<O>, action: Action): Promise<void> {
  if (action.type === 'confirm') return;
  await sandbox.payer?.(action, trip.sandboxUrl).catch(() => undefined);
}

async function demandUnpaid<O>(visit: Visit<O>, attempt: Attempt, when: string, cure: string): Promise<void> {
  const shown = (await fetchedOf(visit, attempt, 'payment')).map(({ status }) => status);
  const paid = shown.find((status) => status === 'succeeded' || status === 'authorised');
  demand(paid === undefined, `the payment is ${paid} at the sandbox ${when}`, cure);
}
