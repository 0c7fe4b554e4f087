/** Checks what the ways say about a step that the payer left. `close` has checks and a round trip of its own. */
import { toSubmission } from '../vector-payment.ts';
import { demand, skip, type Check } from './kit.ts';
import { atSandbox, fetchedOf, payAt, statusOf, stepFacts, submitAt, type Visit } from './sandbox-payment.ts';
import type { Subject } from './subject.ts';

export function unfinishedChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, kit } = subject;
  const trip: Check = {
    rule: 'sandbox',
    title: 'charges nothing for a step at its own sandbox until `complete` is called',
    async run() {
      if (!kit.sandbox) return skip('the kit has no `sandbox`, so no round trip was made');
      return atSandbox(subject, { ...kit.sandbox, ...kit.sandbox.step }, leaveStep);
    },
  };
  const needsTrip = adapter.manifest.ways.some(({ unfinishedStep }) => unfinishedStep === 'charges_nothing');
  return [...(needsTrip ? [trip] : []), ...limitHints(subject)];
}

async function leaveStep<O>(visit: Visit<O>): Promise<void> {
  const { subject, sandbox, trip } = visit;
  const { ways } = subject.adapter.manifest;
  const facts = stepFacts(visit, sandbox.step);
  const attempt = await submitAt(visit, 20, facts);
  const method = subject.adapter.methodOf?.(attempt.payment, trip.provider.options) ?? ways[0].method;
  const isMeant = ways.find((way) => way.method === method)?.unfinishedStep === 'charges_nothing';
  const action = attempt.outcome.outcome === 'pending' ? attempt.outcome.action : undefined;
  if (!isMeant || !action)
    return skip('the payment of `sandbox.step` waits for no step of a way with `unfinishedStep: charges_nothing`');
  // The payer finishes the step, and core never calls `complete`.
  if (action.type !== 'confirm') await sandbox.payer?.(action, trip.sandboxUrl);
  // By the time when another payment is paid, the sandbox has reported what became of this one.
  await statusOf(visit, await payAt(visit, 21, facts), ['succeeded']);
  const shown = (await fetchedOf(visit, attempt, 'payment')).map(({ status }) => status);
  const paid = shown.find((status) => status === 'succeeded' || status === 'authorised');
  demand(
    paid === undefined,
    `the payment is ${paid} at the sandbox before \`complete\` was called`,
    'set `may_charge`, or `close`, in the way: the provider charges without a call of core',
  );
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
