/** A round trip with the package's own sandbox over HTTP: pays, receives callbacks, answers, asks and refunds. */
import type { StatusReport } from '../../event.ts';
import type { Outcome } from '../../outcome.ts';
import type { Submission } from '../../payment.ts';
import { toSubmission } from '../vector-payment.ts';
import { settled } from '../play-call.ts';
import { startRoundTrip, type RoundTrip } from '../round-trip.ts';
import { demand, type Check, type SandboxKit } from './kit.ts';
import type { Subject } from './subject.ts';

export function sandboxChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, kit } = subject;
  const { sandbox } = kit;
  if (!sandbox) return [];
  return [
    {
      rule: 'sandbox',
      title: 'pays at its own sandbox, believes and acknowledges its callbacks, and fetches the same status',
      async run() {
        const trip = await startAtSandbox(subject, sandbox);
        try {
          const payment = toSubmission(adapter, {
            ...subject.goodSubmissions[0]?.payment,
            ...sandbox.payment,
            isSandbox: true,
          });
          const outcome = await payAtSandbox(trip, payment, sandbox);
          await expectCallbacks(trip, payment);
          await checkStatus(subject, trip, payment, outcome);
        } finally {
          await trip.close();
        }
      },
    },
  ];
}

/** Starts the adapter with the package's own sandbox. */
export async function startAtSandbox<Options>(
  { adapter, file, providerSide, readOptions }: Subject<Options>,
  sandbox: SandboxKit<Options>,
): Promise<RoundTrip<Options>> {
  return startRoundTrip({
    adapter,
    createSandbox: sandbox.create,
    options: (publicUrl) => readOptions({ ...file.options, ...sandbox.options?.(publicUrl) }),
    providerSide,
    patienceMs: sandbox.patienceMs ?? 10_000,
  });
}

async function payAtSandbox<O>(trip: RoundTrip<O>, payment: Submission, sandbox: SandboxKit<O>): Promise<Outcome> {
  const outcome = await trip.submit(payment);
  demand(
    outcome.outcome === 'succeeded' || outcome.outcome === 'pending',
    `the payment is ${outcome.outcome} at the sandbox`,
    'let adapter and sandbox follow one protocol; give `sandbox.payment` values that the sandbox approves',
  );
  if (outcome.outcome === 'pending' && outcome.action) await sandbox.payer?.(outcome.action);
  return outcome;
}

async function expectCallbacks<O>(trip: RoundTrip<O>, payment: Submission): Promise<void> {
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

async function checkStatus<O>(
  subject: Subject<O>,
  trip: RoundTrip<O>,
  payment: Submission,
  outcome: Outcome,
): Promise<void> {
  const { adapter } = subject;
  if (!adapter.fetchStatus) return;
  const named = trip.heard.flatMap(({ events }) => events).find(({ providerReference }) => providerReference);
  const reference = outcome.providerReference ?? named?.providerReference;
  const stored = { ...trip.toStored(payment, outcome), ...(reference && { providerReference: reference }) };
  const report = await trip.fetchStatus(stored);
  demand(
    report.result === 'events' && report.events.length > 0,
    `after the payment the sandbox’s status says ${describeReport(report)}`,
    'answer the status of a payment in the sandbox, and read it in `fetchStatus`',
  );
  const paid = report.events.some((event) => adapter.mapStatus(event, 'fetch') === 'succeeded');
  if (!adapter.refund || !paid) return;
  const give = adapter.refund.bind(adapter);
  const refund = {
    reference: `${payment.reference}-R1`,
    money: payment.money,
    note: null,
    refundedSoFar: '0',
    isRepetition: false,
  };
  const refunded = await settled(trip.provider, (ctx) => give(stored, refund, ctx));
  demand(
    refunded.outcome === 'succeeded' || refunded.outcome === 'pending',
    `a refund in full is ${refunded.outcome} at the sandbox`,
    'let the sandbox give back the paid amount',
  );
}

function describeReport(report: StatusReport): string {
  return report.result === 'no_information' ? `nothing (${report.reason})` : report.result;
}
