/** Pays at the package's own sandbox as core and the payer's browser do, and finds out what became of the money. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ReportedEvent, StatusReport } from '../../event.ts';
import { defined } from '../../http/defined.ts';
import type { Action, Outcome } from '../../outcome.ts';
import type { StoredPayment, Submission } from '../../payment.ts';
import type { EventKind, EventStatus } from '../../statuses/event-statuses.ts';
import { withStatus } from '../play-callback.ts';
import { startRoundTrip, type RoundTrip } from '../round-trip.ts';
import { withinLimit } from '../time-limit.ts';
import { toSubmission, type VectorPayment } from '../vector-payment.ts';
import { claimOf } from './answer-classes.ts';
import { demand, type SandboxKit, type SandboxPayment } from './kit.ts';
import type { Subject } from './subject.ts';

/** The adapter at its running sandbox. */
export interface Visit<Options> {
  readonly subject: Subject<Options>;
  readonly sandbox: SandboxKit<Options>;
  readonly trip: RoundTrip<Options>;
  readonly patienceMs: number;
}

/** A payment as core keeps it while it is paid. */
export interface Attempt {
  readonly payment: Submission;
  stored: StoredPayment;
  outcome: Outcome;
  /** `complete` was called. */
  isCompleted: boolean;
}

/** The most steps that a payer takes for one payment: a method step, a challenge, a code. */
const maxSteps = 4;
const defaultPatienceMs = 10_000;
/** Between two looks at the sandbox. */
const lookEveryMs = 10;

/** Starts the adapter with the package's own sandbox. */
export async function startAtSandbox<Options>(
  { adapter, file, providerSide, readOptions }: Subject<Options>,
  sandbox: SandboxKit<Options>,
  delayMs?: number,
): Promise<RoundTrip<Options>> {
  return startRoundTrip({
    adapter,
    createSandbox: sandbox.create,
    options: (publicUrl) => readOptions({ ...file.options, ...sandbox.options?.(publicUrl) }),
    providerSide,
    patienceMs: sandbox.patienceMs ?? defaultPatienceMs,
    ...defined({ delayMs }),
  });
}

/** Runs work at a sandbox of its own, and stops it. */
export async function atSandbox<Options>(
  subject: Subject<Options>,
  sandbox: SandboxKit<Options>,
  work: (visit: Visit<Options>) => Promise<void>,
  delayMs?: number,
): Promise<void> {
  const trip = await startAtSandbox(subject, sandbox, delayMs);
  const visit = { subject, sandbox, trip, patienceMs: sandbox.patienceMs ?? defaultPatienceMs };
  try {
    await work(visit);
  } catch (error) {
    expectNoStray(trip);
    throw error;
  } finally {
    await trip.close();
  }
  expectNoStray(trip);
}

/** The reason why a round trip failed is often that its requests went elsewhere. */
function expectNoStray<O>({ strays: [stray] }: RoundTrip<O>): void {
  demand(
    stray === undefined,
    `a request left the sandbox: ${stray}`,
    'name the option in `addresses` of `createSandbox`, and let the sandbox play that address',
  );
}

/** Submits a payment, and leaves its step to the caller. */
export async function submitAt<O>(visit: Visit<O>, number: number, facts: VectorPayment = {}): Promise<Attempt> {
  const { subject, sandbox, trip } = visit;
  const body = { ...subject.goodSubmissions[0]?.payment, ...sandbox.payment, ...facts };
  const payment = toSubmission(subject.adapter, { ...body, isSandbox: true, reference: `GW-${7000 + number}-1` });
  const outcome = await trip.submit(payment);
  demand(
    outcome.outcome === 'succeeded' || outcome.outcome === 'pending',
    `the payment is ${describeOutcome(outcome)} at the sandbox`,
    'let adapter and sandbox follow one protocol; give `sandbox.payment` values that the sandbox approves',
  );
  return { payment, stored: trip.toStored(payment, outcome), outcome, isCompleted: false };
}

/** Submits a payment and takes every step of its payer. It may still wait for a callback afterwards. */
export async function payAt<O>(visit: Visit<O>, number: number, facts: VectorPayment = {}): Promise<Attempt> {
  const attempt = await submitAt(visit, number, facts);
  for (let step = 0; step < maxSteps && (await takeStep(visit, attempt)); step += 1);
  return attempt;
}

/** The card of all sandboxes that asks for 3D Secure. */
const challengedCard = { number: '4000000000003220' };

/** What makes a payment take a step of the payer, unless the kit says it. */
export function stepFacts<O>({ subject }: Visit<O>, given: SandboxPayment | undefined): VectorPayment {
  const usesCards = subject.goodSubmissions[0]?.payment['number'] !== undefined;
  return usesCards && given?.payment === undefined ? challengedCard : {};
}

/** Plays the payer's next step, and completes it as core does. False: no further step of the payer is known. */
async function takeStep<O>(visit: Visit<O>, attempt: Attempt): Promise<boolean> {
  const { sandbox, subject, trip } = visit;
  const action = attempt.outcome.outcome === 'pending' ? attempt.outcome.action : undefined;
  if (!action) return false;
  if (action.type === 'confirm') {
    demand(
      sandbox.code !== undefined,
      'the payment waits for a member code',
      'give `sandbox.code` the code that the sandbox accepts',
    );
    await completeAttempt(visit, attempt, { code: sandbox.code });
    return true;
  }
  const seen = { returns: trip.returns.length, heard: trip.heard.length };
  await sandbox.payer?.(action, trip.sandboxUrl);
  if (action.type !== 'redirect' || !subject.adapter.complete) return false;
  const returned = trip.returns.slice(seen.returns);
  const brought = returned.findLast(({ to }) => to === '3ds')?.brought;
  const wasReported = eventsSince(trip, seen.heard).some(({ kind }) => kind === '3ds');
  if (brought === undefined && !wasReported && !returnCompletes(action)) return false;
  await completeAttempt(visit, attempt, brought ?? {});
  return true;
}

/** True if core calls `complete` when the payer comes back to the payment's page. */
function returnCompletes(action: Action): boolean {
  if (action.type !== 'redirect') return false;
  const isStep = action.method === 'GET' && action.transactionId !== undefined;
  return isStep || action.completesOnReturn !== undefined;
}

async function completeAttempt<O>(
  { trip, patienceMs }: Visit<O>,
  attempt: Attempt,
  brought: string | Readonly<Record<string, string>>,
): Promise<void> {
  const completed = withinLimit(() => trip.complete(attempt.stored, brought), patienceMs);
  const outcome = await completed.catch((error: unknown) => {
    throw new Error(`complete: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  });
  attempt.isCompleted = true;
  learn(attempt, outcome);
}

/** Keeps what an outcome brings, as core does. */
export function learn(attempt: Attempt, outcome: Outcome): void {
  const { action: _before, ...others } = attempt.stored;
  const { providerReference = others.providerReference, adapterState = others.adapterState } = outcome;
  const providerReferences = outcome.providerReferences && {
    ...others.providerReferences,
    ...outcome.providerReferences,
  };
  const action = outcome.outcome === 'pending' ? outcome.action : undefined;
  attempt.outcome = outcome;
  attempt.stored = { ...others, ...defined({ providerReference, providerReferences, adapterState, action }) };
}

/** Waits until the sandbox reports one of these statuses of the payment; undefined if that never happens. */
export async function statusOf<O>(
  visit: Visit<O>,
  attempt: Attempt,
  wanted: readonly EventStatus[],
): Promise<EventStatus | undefined> {
  return eventually(visit, async () => {
    const events = await payments(visit, attempt);
    return events.map(({ status }) => status).find((status) => wanted.includes(status));
  });
}

/**
 * What is known of the payment: by a status fetch, or by callbacks if the adapter has none. A fetch that shows that the
 * payer finished the step completes it.
 */
export async function payments<O>(visit: Visit<O>, attempt: Attempt): Promise<readonly Seen[]> {
  const { adapter } = visit.subject;
  if (!adapter.fetchStatus) {
    const { outcome } = attempt.outcome;
    const answered: Seen[] = outcome === 'succeeded' ? [{ status: outcome }] : [];
    return [...answered, ...heardOf(visit, attempt, 'payment')];
  }
  const found = await fetchedOf(visit, attempt, 'payment');
  if (!adapter.complete || !found.some(({ awaitsCompletion }) => awaitsCompletion)) return found;
  await completeAttempt(visit, attempt, {});
  return fetchedOf(visit, attempt, 'payment');
}

interface Seen extends Partial<ReportedEvent> {
  readonly status: EventStatus;
}

/** The events of this kind that a fetch shows; none if it cannot say. `subReference` names a refund. */
export async function fetchedOf<O>(
  { subject: { adapter }, trip }: Visit<O>,
  attempt: Attempt,
  kind: EventKind,
  subReference?: string,
): Promise<readonly Seen[]> {
  if (!adapter.fetchStatus) return [];
  const report = await trip.fetchStatus(withReference(trip, attempt), subReference);
  if (report.result !== 'events') return [];
  keepReference(attempt, report.events);
  return withStatus(adapter, report.events, 'fetch').filter((event) => event.kind === kind);
}

/** A submission may name no id. A fetch then does, as for core, which knows what payment the fetch is about. */
function keepReference(attempt: Attempt, events: readonly ReportedEvent[]): void {
  const { payment, stored } = attempt;
  if (stored.providerReference !== undefined) return;
  const about = events.map((event) => ({ ...event, reference: event.reference ?? payment.reference }));
  attempt.stored = { ...stored, ...idsIn(about, payment) };
}

/** The provider's ids in the first event that names the payment. */
function idsIn(
  events: readonly ReportedEvent[],
  payment: Submission,
): Pick<StoredPayment, 'providerReference' | 'providerReferences'> {
  const named = events.find(
    ({ kind, reference, providerReference }) =>
      kind === 'payment' && reference === payment.reference && providerReference !== null,
  );
  if (!named) return {};
  const { providerReference, providerReferences } = named;
  return defined({ providerReference: providerReference ?? undefined, providerReferences });
}

/** The believed events of this kind that callbacks reported about the payment. */
export function heardOf<O>({ trip }: Visit<O>, attempt: Attempt, kind: EventKind): readonly Seen[] {
  return eventsSince(trip, 0).filter((event) => {
    const { reference, providerReference } = event;
    const isAbout = reference === attempt.payment.reference || providerReference === attempt.stored.providerReference;
    return event.kind === kind && !event.mustFetch && isAbout;
  });
}

/** The stored payment with the provider's ids, which a callback may name before a fetch does. */
function withReference<O>(trip: RoundTrip<O>, { payment, stored }: Attempt): StoredPayment {
  return stored.providerReference === undefined ? { ...stored, ...idsIn(eventsSince(trip, 0), payment) } : stored;
}

/** The payment as a refund, a capture or a release gets it. */
export function asStored<O>({ trip }: Visit<O>, attempt: Attempt, isPaid: boolean): StoredPayment {
  const { action: _done, ...stored } = withReference(trip, attempt);
  return { ...stored, ...(isPaid ? { isPaid } : {}) };
}

function eventsSince<O>(trip: RoundTrip<O>, from: number) {
  return trip.heard.slice(from).flatMap(({ outcome, events }) => (outcome === 'accepted' ? events : []));
}

/** Looks until there is something to see, or until the patience is over. */
export async function eventually<O, T>(
  { patienceMs }: Visit<O>,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined || performance.now() >= end) return seen;
    await wait(lookEveryMs);
  }
}

export function describeReport(report: StatusReport): string {
  return report.result === 'no_information' ? `nothing (${report.reason})` : report.result;
}

/** An outcome and its reason, in words. */
export function describeOutcome(outcome: Outcome): string {
  const reason = 'reason' in outcome && outcome.reason !== undefined ? ` (${outcome.reason})` : '';
  return `${claimOf(outcome)}${reason}`;
}
