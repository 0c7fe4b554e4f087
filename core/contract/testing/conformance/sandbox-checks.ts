/**
 * Round trips with the package's own sandbox over HTTP. Each proves an ability with money: pay, complete a step of the
 * payer, refund, capture, release. A round trip that cannot use an ability of the adapter is a broken rule, never a
 * success.
 */
import type { Outcome } from '../../outcome.ts';
import { compareDecimals, multiplyDecimals, subtractDecimals, type Money } from '../../money/money.ts';
import { decimalsOf } from '../../money/currencies.ts';
import type { RefundRequest, StoredPayment } from '../../payment.ts';
import type { AdapterContext } from '../../provider.ts';
import type { EventStatus } from '../../statuses/event-statuses.ts';
import { refuseRefund } from '../../core/fitness.ts';
import { settled } from '../play-call.ts';
import { demand, skip, type Check, type SandboxKit } from './kit.ts';
import {
  asStored,
  atSandbox,
  describeOutcome,
  describeReport,
  eventually,
  fetchedOf,
  heardOf,
  learn,
  payAt,
  payments,
  statusOf,
  stepFacts,
  submitAt,
  type Attempt,
  type Visit,
} from './sandbox-payment.ts';
import type { Subject } from './subject.ts';

type Work<Options> = (sandbox: SandboxKit<Options>) => Promise<void>;

export function sandboxChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, kit } = subject;
  const check = (title: string, work: Work<Options>): Check => ({
    rule: 'sandbox',
    title,
    async run() {
      if (!kit.sandbox) return skip('the kit has no `sandbox`, so no round trip was made');
      return work(kit.sandbox);
    },
  });
  const ability = (
    name: 'complete' | 'close' | 'refund' | 'capture' | 'void' | 'checkAccount',
    title: string,
    work: Work<Options>,
  ): Check[] => (adapter[name] ? [check(title, work)] : []);
  return [
    check(
      'pays at its own sandbox, believes and acknowledges its callbacks, and fetches the same status',
      async (sandbox) => atSandbox(subject, sandbox, payOnce),
    ),
    ...ability('complete', 'completes a step of the payer at its own sandbox, and is paid', async (sandbox) =>
      atSandbox(subject, { ...sandbox, ...sandbox.step }, completeStep),
    ),
    ...ability('close', 'closes an unpaid order at its own sandbox, which then cannot be paid', async (sandbox) =>
      inTime(subject, { ...sandbox, ...(sandbox.open ?? sandbox.step) }, 'close', closeOpen),
    ),
    ...ability('refund', 'refunds in full and in parts at its own sandbox', async (sandbox) =>
      atSandbox(subject, sandbox, refundAll),
    ),
    ...ability('capture', 'captures reserved money at its own sandbox', async (sandbox) =>
      withReserved(subject, sandbox, 'capture'),
    ),
    ...ability(
      'checkAccount',
      'names its account at its own sandbox by the same id each time, never by a secret',
      async (sandbox) => atSandbox(subject, sandbox, checkIds),
    ),
    ...ability('void', 'releases reserved money at its own sandbox', async (sandbox) =>
      withReserved(subject, sandbox, 'void'),
    ),
  ];
}

async function checkIds<O>({ subject, trip }: Visit<O>): Promise<void> {
  const ask = async (): Promise<unknown[]> => {
    const findings = await subject.adapter.checkAccount!(trip.provider);
    return findings.flatMap(({ accountId }) => (accountId === undefined ? [] : [accountId as unknown]));
  };
  const [ids, again] = [await ask(), await ask()];
  const [id] = ids;
  if (id === undefined) skip('no finding of `checkAccount` names the account');
  const cure = 'return the id that the provider gives the account, from its answer';
  demand(typeof id === 'string' && id !== '', 'the `accountId` of a finding is not a text', cure);
  demand(
    [...ids, ...again].every((one) => one === id),
    '`checkAccount` names several accounts',
    cure,
  );
  demand(subject.hide(id) === id, 'the `accountId` of a finding contains a secret', cure);
}

async function payOnce<O>(visit: Visit<O>): Promise<void> {
  const attempt = await payAt(visit, 1);
  await expectPaid(visit, attempt);
  await expectCallbacks(visit, attempt);
}

/** Waits until the payment is paid, as a fetch shows it, or a callback or the answer if the adapter has no fetch. */
async function expectPaid<O>(visit: Visit<O>, attempt: Attempt): Promise<void> {
  if ((await statusOf(visit, attempt, ['succeeded'])) !== undefined) return;
  const { subject, trip, sandbox } = visit;
  const { outcome } = attempt;
  const action = outcome.outcome === 'pending' ? outcome.action : undefined;
  const fetched = subject.adapter.fetchStatus
    ? ` A fetch says ${describeReport(await trip.fetchStatus(attempt.stored))}: ${(await trip.fetched(attempt.stored)).join(', ')}.`
    : '';
  demand(
    false,
    `the payment was never paid at the sandbox. ${attempt.isCompleted ? '`complete`' : 'The submission'} is ${describeOutcome(outcome)}; callbacks reported: ${trip.reported().join(', ') || 'nothing'}.${fetched}`,
    action && !sandbox.payer
      ? `the payment waits for its payer (${action.type}): give \`sandbox.payer\`, which pays at the sandbox`
      : 'let the sandbox approve the payment of the kit (`sandbox.payment`, `sandbox.payer`), and read its answers, callbacks and status in the adapter',
  );
}

async function expectCallbacks<O>({ trip }: Visit<O>, { payment }: Attempt): Promise<void> {
  const reported = (): boolean => trip.deliveries.some(({ acknowledged }) => acknowledged);
  const came = await trip.until(reported).then(
    () => true,
    () => false,
  );
  const events = trip.heard.flatMap((heard) => heard.events);
  demand(
    came && events.length > 0,
    `the sandbox sent ${trip.deliveries.length} callbacks and none was believed and acknowledged`,
    'sign in the sandbox as the protocol says, and acknowledge in the adapter as the provider expects',
  );
  demand(
    events.every(({ reference }) => reference === null || reference === payment.reference),
    'a callback of the sandbox names another reference',
    'keep our reference in the sandbox and report it',
  );
}

async function completeStep<O>(visit: Visit<O>): Promise<void> {
  const attempt = await payAt(visit, 2, stepFacts(visit, visit.sandbox.step));
  await expectPaid(visit, attempt);
  demand(
    attempt.isCompleted,
    'the adapter has `complete`, and no payment at the sandbox called it',
    'give `sandbox.step` a payment that takes a step of the payer (its `payment`, `payer`, `options`), and let the payer follow the page back to the gateway (`visitPage`)',
  );
}

/**
 * Closes an order while it waits for its payer, who then tries to pay it. Returns false if the sandbox was paid
 * automatically before.
 */
async function closeOpen<O>(visit: Visit<O>): Promise<boolean> {
  const { subject, sandbox, trip } = visit;
  const attempt = await submitAt(visit, 6, stepFacts(visit, sandbox.open ?? sandbox.step));
  const action = attempt.outcome.outcome === 'pending' ? attempt.outcome.action : undefined;
  demand(
    action,
    `the adapter has \`close\`, and no payment at the sandbox waits for its payer: it is ${describeOutcome(attempt.outcome)}`,
    'give `sandbox.open` a payment that waits for a step of the payer (its `payment`, `payer`, `options`)',
  );
  const close = (): Promise<Outcome> =>
    settled(trip.provider, (ctx) => subject.adapter.close!(asStored(visit, attempt, false), ctx));
  const isClosed = async (): Promise<true | undefined> => ((await close()).outcome === 'succeeded' ? true : undefined);
  const outcome = await close();
  if (isRefusal(outcome) && (await statusOf(visit, attempt, ['succeeded'])) !== undefined) return false;
  demand(
    outcome.outcome === 'succeeded' || (outcome.outcome === 'pending' && (await eventually(visit, isClosed))),
    `\`close\` of an unpaid order is ${describeOutcome(outcome)} at the sandbox`,
    'let the sandbox close an order that waits for its payer',
  );
  // The page of a closed order may be gone.
  await sandbox.payer?.(action, trip.sandboxUrl).catch(() => undefined);
  const again = await close();
  const isPaid = (await payments(visit, attempt)).some(({ status }) => status === 'succeeded');
  demand(
    again.outcome === 'succeeded' && !isPaid,
    `a closed order can still be paid at the sandbox: after the payer’s visit, \`close\` is ${describeOutcome(again)}${isPaid ? ', and the payment is paid' : ''}`,
    'let the sandbox refuse the payer of a closed order, and answer a repeated `close` as the first',
  );
  return true;
}

async function refundAll<O>(visit: Visit<O>): Promise<void> {
  const whole = await payAt(visit, 3);
  await expectPaid(visit, whole);
  await expectRefund(visit, whole, 1, whole.payment.money, '0', 'a refund in full');

  const parted = await payAt(visit, 4);
  await expectPaid(visit, parted);
  const { money } = parted.payment;
  const part = partOf(money);
  await expectRefund(visit, parted, 1, part, '0', 'a refund in part');
  const rest = { ...money, amount: subtractDecimals(money.amount, part.amount) };
  await expectRefund(visit, parted, 2, rest, part.amount, 'the refund of the rest');
}

/** Less than half of the money, in whole units if possible: the digits after the point choose faults of the sandbox. */
function partOf({ amount, currency }: Money): Money {
  const part = multiplyDecimals(amount, '0.4', decimalsOf(currency));
  const [whole = '0'] = part.split('.');
  return { currency, amount: whole === '0' ? part : whole };
}

async function expectRefund<O>(
  visit: Visit<O>,
  attempt: Attempt,
  number: number,
  money: Money,
  refundedSoFar: string,
  what: string,
): Promise<void> {
  const { subject, trip } = visit;
  const { adapter } = subject;
  const reference = `${attempt.payment.reference}-R${number}`;
  const request: RefundRequest = { reference, money, note: null, refundedSoFar, isRepetition: false };
  const refusedByCore = (given: RefundRequest) => refuseRefund(adapter.manifest, asStored(visit, attempt, true), given);
  const ask = (given: RefundRequest): Promise<Outcome> => {
    const stored = asStored(visit, attempt, true);
    const refused = refusedByCore(given);
    if (refused) return Promise.resolve(refused);
    return settled(trip.provider, (ctx) => adapter.refund!(stored, given, ctx));
  };
  const outcome = await ask(request);
  demand(
    outcome.outcome === 'succeeded' || outcome.outcome === 'pending',
    `${what} is ${describeOutcome(outcome)} at the sandbox`,
    refusedByCore(request)
      ? 'core refused it before any request: name `providerReference` in the submission, a callback or a fetch, and accept the amounts of the sandbox’s payment'
      : 'let the sandbox give back the paid amount',
  );
  keepState(attempt, outcome);
  if (outcome.outcome === 'succeeded') return;
  const isDone = async (): Promise<true | undefined> => {
    if (await hasRefund(visit, attempt, money, outcome.providerReference)) return true;
    if (adapter.manifest.repeatRefund === 'never') return undefined;
    const again = await ask({ ...request, isRepetition: true });
    return again.outcome === 'succeeded' ? true : undefined;
  };
  demand(
    await eventually(visit, isDone),
    `${what} stays pending at the sandbox: no callback, fetch or repetition says that the money went back`,
    'let the sandbox finish the refund, and report it by a callback, the status, or the answer to a repetition',
  );
}

/** The state that a later call gets; what else the outcome says is about the refund. */
function keepState(attempt: Attempt, { adapterState }: Outcome): void {
  if (adapterState !== undefined) attempt.stored = { ...attempt.stored, adapterState };
}

async function hasRefund<O>(visit: Visit<O>, attempt: Attempt, money: Money, id?: string): Promise<boolean> {
  const events = [
    ...heardOf(visit, attempt, 'refund'),
    ...(await fetchedOf(visit, attempt, 'refund', id)),
    ...(await fetchedOf(visit, attempt, 'refund')),
  ];
  return events.some(({ status, subReference, amount, cumulative }) => {
    const isNamed = id !== undefined && subReference === id;
    const difference = typeof amount === 'string' ? compareDecimals(amount, money.amount) : -1;
    return status === 'succeeded' && (isNamed || difference === 0 || (cumulative === true && difference > 0));
  });
}

/**
 * The sandbox delays of round trips that the sandbox may overtake, because it pays or captures automatically. Such a
 * round trip is repeated with the next delay.
 */
const patientDelaysMs = [60, 300, 1_500];

/** Works at the sandbox, more slowly if it was overtaken: the work then returns false. */
async function inTime<O>(
  subject: Subject<O>,
  sandbox: SandboxKit<O>,
  name: string,
  work: (visit: Visit<O>) => Promise<boolean>,
): Promise<void> {
  for (const delayMs of patientDelaysMs) {
    let wasInTime = false;
    const once = async (visit: Visit<O>): Promise<void> => {
      wasInTime = await work(visit);
    };
    await atSandbox(subject, sandbox, once, delayMs);
    if (wasInTime) return;
  }
  demand(
    false,
    `the sandbox took the money automatically before \`${name}\`, ${patientDelaysMs.length} times`,
    'pay and capture automatically in the sandbox only after two delays at least',
  );
}

function isRefusal({ outcome }: Outcome): boolean {
  return outcome !== 'succeeded' && outcome !== 'pending';
}

/** One way to end a reservation. */
interface Ending<Options> {
  readonly name: 'capture' | 'void';
  readonly wanted: readonly EventStatus[];
  readonly ask: (attempt: Attempt, stored: StoredPayment, ctx: AdapterContext<Options>) => Promise<Outcome>;
}

/** Reserves money, and ends that by the ability. */
async function withReserved<O>(subject: Subject<O>, sandbox: SandboxKit<O>, name: Ending<O>['name']): Promise<void> {
  const { adapter } = subject;
  const endings: Record<Ending<O>['name'], Ending<O>> = {
    capture: {
      name: 'capture',
      wanted: ['succeeded'],
      ask({ payment }, stored, ctx) {
        const { reference, money } = payment;
        return adapter.capture!(
          { ...stored, capturedAmount: money.amount },
          { reference: `${reference}-C`, money },
          ctx,
        );
      },
    },
    void: {
      name: 'void',
      wanted: ['cancelled'],
      ask: ({ payment }, stored, ctx) => adapter.void!(stored, ctx, { reference: `${payment.reference}-V` }),
    },
  };
  await inTime(subject, { ...sandbox, ...sandbox.reserved }, name, (visit) => endReserved(visit, endings[name]));
}

/** Returns false if the sandbox captured the money automatically before the request. */
async function endReserved<O>(visit: Visit<O>, { name, wanted, ask }: Ending<O>): Promise<boolean> {
  const { sandbox, trip } = visit;
  const attempt = await payAt(visit, 5, sandbox.reserved ? {} : { captureDelayHours: 3 });
  const reserved = isAuthorised(attempt.outcome) ? 'authorised' : await statusOf(visit, attempt, ['authorised']);
  demand(
    reserved,
    `the adapter has \`${name}\`, and no money was reserved at the sandbox: the payment is ${describeOutcome(attempt.outcome)}, callbacks reported ${trip.reported().join(', ') || 'nothing'}`,
    'give `sandbox.reserved` a payment that only reserves the money (its `payment`, `payer`, `options`)',
  );
  const stored = asStored(visit, attempt, false);
  const outcome = await settled(trip.provider, (ctx) => ask(attempt, stored, ctx));
  if (isRefusal(outcome) && (await wasCaptured(visit, attempt))) return false;
  demand(
    !isRefusal(outcome),
    `\`${name}\` of reserved money is ${describeOutcome(outcome)} at the sandbox`,
    cures[name],
  );
  learn(attempt, outcome);
  const ended = outcome.outcome === 'succeeded' || (await statusOf(visit, attempt, wanted)) !== undefined;
  demand(ended, `after \`${name}\` the payment never is ${wanted.join(' or ')} at the sandbox`, cures[name]);
  return true;
}

const cures = {
  capture: 'let the sandbox capture what it reserved, and report it',
  void: 'let the sandbox release what it reserved, and report it',
};

function isAuthorised(outcome: Outcome): boolean {
  return outcome.outcome === 'pending' && outcome.authorised === true;
}

async function wasCaptured<O>(visit: Visit<O>, attempt: Attempt): Promise<boolean> {
  return (await payments(visit, attempt)).some(({ status }) => status === 'succeeded');
}
