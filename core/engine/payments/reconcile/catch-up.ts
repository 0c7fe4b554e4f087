/**
 * Asks providers about payments that were open or paid while callbacks may have been missing. A run requests status
 * fetches for one small batch of payments after the other, newest first, and waits for each batch: the checks have the
 * limits of `reconcile`, and the checks that are due anyway are not delayed by more than one batch.
 */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { catchUpModel, type AskedPayment, type CatchUp } from '../../../database/collections/catch-up.ts';
import type { Attempt } from '../../../database/collections/attempt.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { DAY, MINUTE, SECOND } from '../../../base/async/time.ts';
import { moneyText } from '../../../base/text/money-text.ts';
import type { Registry } from '../../providers/registry.ts';
import { statusLabelOf } from '../record/status-label.ts';
import { requestCheck } from './request-check.ts';

export interface CatchingUp {
  /** Does one step of the oldest run in progress. Only one run is in progress at a time. */
  step(): Promise<CatchUpStep>;
}

export interface CatchUpStep {
  /** The number of payments that were asked about. */
  readonly asked: number;
  /** When the next step is due; undefined: no run is in progress. */
  readonly nextStepAt: Date | undefined;
}

export interface CatchingUpDeps {
  readonly connection: Connection;
  readonly registry: Pick<Registry, 'byName'>;
  readonly notifyWorkers: (work: 'reconcile') => void;
  readonly config: { readonly catchUpPaidDays: number };
  readonly now: () => Date;
  readonly log: Logger;
}

/** Payments per batch. */
const batchSize = 50;
/** Payments that one read examines. Each read is small, however few of the payments belong to the adapter. */
const pageSize = 1000;
const pagesPerStep = 20;
/** A provider that does not answer holds up a batch for this long. */
const answerLimitMs = MINUTE;
const pollMs = SECOND;
/** Changed payments that are kept by id. Further ones are only counted. */
const maxChanged = 1000;

const members = {
  statusId: 1,
  cancelledAt: 1,
  paidAmount: 1,
  paidCurrency: 1,
  refundedAmount: 1,
  chargedBack: 1,
  'attempts.adapter': 1,
  'attempts.outcome': 1,
  'attempts.settledAt': 1,
  'attempts.fetchesRequested': 1,
  'attempts.fetchesDone': 1,
} as const;
type Examined = Pick<
  PaymentRecord,
  '_id' | 'statusId' | 'cancelledAt' | 'paidAmount' | 'paidCurrency' | 'refundedAmount' | 'chargedBack'
> & {
  readonly attempts: readonly Pick<Attempt, 'adapter' | 'outcome' | 'settledAt' | 'fetchesRequested' | 'fetchesDone'>[];
};

export function createCatchingUp(deps: CatchingUpDeps): CatchingUp {
  const { connection, registry, notifyWorkers, config, now, log } = deps;
  const runs = catchUpModel(connection);
  const payments = paymentRequestModel(connection).collection;

  async function read(which: object, limit: number): Promise<readonly Examined[]> {
    const found = await payments.find(which, { projection: members }).sort({ _id: -1 }).limit(limit).toArray();
    return found.map((one) => fromDocument(one) as Examined);
  }

  /** Stores a step. False: the run was requested again, or another worker was faster. */
  async function store({ _id, requestedAt, step = 0 }: CatchUp, set: Partial<CatchUp>): Promise<boolean> {
    const stored = await runs.updateOne({ _id, requestedAt: requestedAt!, step }, { $set: { ...set, step: step + 1 } });
    return stored.matchedCount === 1;
  }

  function isMeant({ adapter, outcome, settledAt }: Examined['attempts'][number], run: CatchUp): boolean {
    if (adapter !== run._id) return false;
    if (outcome === 'open' || !settledAt) return true;
    const since = run.since!.getTime() - (outcome === 'succeeded' ? config.catchUpPaidDays * DAY : 0);
    return settledAt.getTime() >= since;
  }

  /** The next payments to ask about, and the id up to which payments were examined; null: none is left. */
  async function nextBatch(run: CatchUp): Promise<{ batch: readonly Examined[]; before: number | null }> {
    let before = run.before ?? null;
    for (let pages = 0; pages < pagesPerStep; pages += 1) {
      const page = await read(before === null ? {} : { _id: { $lt: before } }, pageSize);
      const meant = page.filter(({ attempts }) => attempts.some((attempt) => isMeant(attempt, run)));
      const batch = meant.slice(0, batchSize);
      if (meant.length > batchSize) return { batch, before: batch.at(-1)!._id };
      if (page.length < pageSize) return { batch, before: null };
      before = page.at(-1)!._id;
      if (batch.length > 0) return { batch, before };
    }
    return { batch: [], before };
  }

  /** Counts what cannot be asked about, and ends the run. */
  async function endUnasked(run: CatchUp, obstacle: string): Promise<void> {
    const paidSince = new Date(run.since!.getTime() - config.catchUpPaidDays * DAY);
    const notAsked = await payments.countDocuments({
      attempts: {
        $elemMatch: {
          adapter: run._id,
          $or: [
            { outcome: 'open' },
            { outcome: 'succeeded', settledAt: { $gte: paidSince } },
            { settledAt: { $gte: run.since! } },
          ],
        },
      },
    });
    await store(run, { notAsked, obstacle, endedAt: now() });
    log.warn({ adapter: run._id, payments: notAsked, reason: obstacle }, 'payments cannot be asked about');
  }

  /** Compares the batch with what it was before. Returns undefined while answers are missing and may still arrive. */
  async function readAnswers(run: CatchUp): Promise<Partial<CatchUp> | undefined> {
    const { waiting = [], batchAt, changed = [], changedCount = 0, unanswered = 0, asked = 0 } = run;
    const found = new Map(
      (await read({ _id: { $in: waiting.map(({ id }) => id) } }, batchSize)).map((one) => [one._id, one]),
    );
    const isAnswered = ({ id }: AskedPayment): boolean =>
      found.get(id)?.attempts.every((one) => one.adapter !== run._id || one.fetchesDone >= one.fetchesRequested) !==
      false;
    const answered = waiting.filter(isAnswered);
    const isOver = now().getTime() - (batchAt?.getTime() ?? 0) >= answerLimitMs;
    if (answered.length < waiting.length && !isOver) return undefined;
    const news = waiting.flatMap(({ id, was }) => {
      const is = summaryOf(found.get(id));
      return is === was || is === '' ? [] : [{ id, was, is }];
    });
    return {
      waiting: [],
      asked: asked + waiting.length,
      unanswered: unanswered + waiting.length - answered.length,
      changedCount: changedCount + news.length,
      changed: [...changed, ...news].slice(0, maxChanged),
    };
  }

  async function stepOf(run: CatchUp): Promise<number> {
    const active = registry.byName(run._id);
    if (!active || !active.adapter.fetchStatus) {
      await endUnasked(run, active ? 'the adapter cannot fetch a status' : 'the adapter is off');
      return 0;
    }
    const counted = run.waiting?.length ? await readAnswers(run) : {};
    if (!counted) return 0;
    // The last batch had no older payments.
    const isLast = run.before === null && (run.step ?? 0) > 0;
    const { batch, before } = isLast ? { batch: [], before: null } : await nextBatch(run);
    for (const { _id } of batch) await requestCheck(connection, _id, run._id);
    if (batch.length) notifyWorkers('reconcile');
    const waiting = batch.map((one) => ({ id: one._id, was: summaryOf(one) }));
    const isOver = batch.length === 0 && before === null;
    const isStored = await store(run, {
      ...counted,
      before,
      waiting,
      batchAt: now(),
      ...(isOver && { endedAt: now() }),
    });
    if (isOver && isStored) {
      const { asked = run.asked, changedCount = run.changedCount } = counted;
      log.info({ adapter: run._id, since: run.since, asked, changed: changedCount }, 'payments were asked about');
    }
    return batch.length;
  }

  return {
    async step() {
      const run = await runs
        .findOne({ since: { $type: 'date' }, endedAt: null })
        .sort({ requestedAt: 1 })
        .lean<CatchUp | null>();
      if (!run) return { asked: 0, nextStepAt: undefined };
      const asked = await stepOf(run);
      return { asked, nextStepAt: new Date(now().getTime() + pollMs) };
    },
  };
}

/** What an operator notices of a payment, for example `paid 10.00 EUR, charged back`. Empty: there is no payment. */
function summaryOf(record: Examined | undefined): string {
  if (!record) return '';
  const { paidAmount, paidCurrency, refundedAmount, chargedBack } = record;
  const label = statusLabelOf(record);
  return [
    `${label}${paidAmount && paidCurrency ? ` ${moneyText(paidAmount, paidCurrency)}` : ''}`,
    ...(label !== 'refunded' && Number(refundedAmount) > 0
      ? [`refunded ${moneyText(refundedAmount, paidCurrency ?? '')}`]
      : []),
    ...(chargedBack ? ['charged back'] : []),
  ].join(', ');
}
