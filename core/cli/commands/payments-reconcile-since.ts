/** `payments reconcile --since`: requests the checks of payments whose callbacks may be missing, and follows them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { catchUpModel, type CatchUp } from '../../database/collections/catch-up.ts';
import { paymentRequestModel } from '../../database/collections/payment-request.ts';
import { requestCatchUp } from '../../engine/payments/index.ts';
import { MINUTE } from '../../base/async/time.ts';
import { checkAdapterName } from '../adapter-name.ts';
import { UsageError, type Shell } from '../command.ts';
import { operatorOf } from '../operator.ts';
import { withDatabase } from '../with-database.ts';

interface Wanted {
  readonly adapter?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

const pollMs = 500;
/** Without progress for this long, no worker is running. A batch waits for its answers for up to a minute. */
const patienceMs = 2 * MINUTE;

export async function reconcileSince(shell: Shell, since: Date, { adapter, reason, json }: Wanted): Promise<number> {
  if (since.getTime() > Date.now()) throw new UsageError('--since must be in the past.');
  return withDatabase(shell, async ({ connection, audit, loaded: { config } }) => {
    if (adapter !== undefined) checkAdapterName(adapter, config);
    // Payments without an attempt count as null.
    const used = (await paymentRequestModel(connection).distinct('attempts.adapter')).filter(
      (name): name is string => typeof name === 'string',
    );
    const adapters = adapter === undefined ? used : [adapter];
    for (const id of adapters) {
      const deed = { act: 'payments.reconcile', subject: { type: 'adapter', id }, reason } as const;
      await audit.run(operatorOf(shell), deed, async () => {
        await requestCatchUp(connection, id, since, { joins: true });
        return { value: undefined, after: { since: since.toISOString() } };
      });
    }
    const read = async (): Promise<readonly CatchUp[]> =>
      catchUpModel(connection)
        .find({ _id: { $in: [...adapters] } })
        .sort({ _id: 1 })
        .lean<CatchUp[]>();
    const runs = await follow(read, shell);
    if (json) shell.print(JSON.stringify(runs.map(present)));
    else for (const line of runs.flatMap(describe)) shell.print(line);
    if (runs.length === 0) shell.stderr('There are no payments.');
    if (runs.every(({ endedAt }) => endedAt)) return 0;
    shell.stderr('No worker continues the checks: they continue when the service runs. The progress is stored.');
    return 1;
  });
}

/** Shows the progress until all runs have ended, or none has progressed for some time. */
async function follow(read: () => Promise<readonly CatchUp[]>, { stderr }: Shell): Promise<readonly CatchUp[]> {
  let shown = '';
  let progressedAt = Date.now();
  for (;;) {
    const runs = await read();
    if (runs.every(({ endedAt }) => endedAt) || Date.now() - progressedAt > patienceMs) return runs;
    const progress = runs
      .filter(({ endedAt }) => !endedAt)
      .map(({ _id, asked = 0, waiting = [], changedCount = 0 }) => {
        return `${_id}: ${asked + waiting.length} asked, ${changedCount} changed`;
      })
      .join('; ');
    const steps = `${progress} ${runs.map(({ step }) => step).join(' ')}`;
    if (steps !== shown) {
      stderr(progress);
      shown = steps;
      progressedAt = Date.now();
    }
    await sleep(pollMs);
  }
}

function present({
  _id: adapter,
  since,
  endedAt,
  asked,
  changedCount,
  changed,
  unanswered,
  notAsked,
  obstacle,
}: CatchUp) {
  return { adapter, since, endedAt, asked, changedCount, changed, unanswered, notAsked, obstacle };
}

function describe(run: CatchUp): readonly string[] {
  const { _id: adapter, asked = 0, changedCount = 0, changed = [], unanswered = 0, notAsked = 0, obstacle = '' } = run;
  if (obstacle) return [`${adapter}: ${notAsked} payments were not asked about: ${obstacle}`];
  const late = unanswered > 0 ? `, ${unanswered} without an answer yet: their checks are repeated` : '';
  const rest = changedCount - changed.length;
  return [
    ...changed.map(({ id, was, is }) => `payment ${id}: ${was} → ${is}`),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    `${adapter}: ${asked} payments asked about, ${changedCount} changed${late}`,
  ];
}
