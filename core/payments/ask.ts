/** Asks providers about payments whose outcome is not known, completes steps that were taken, repeats refunds. */
import { randomUUID } from 'node:crypto';
import { nothingCharged, unknown, type CompletionStep } from '@gateway/contract';
import type { Connection } from 'mongoose';
import { fromDocument } from '../documents/decimals.ts';
import { paymentRequestModel } from '../documents/payment-request.ts';
import type { StatedReport } from '../providers/mapped-event.ts';
import { newNonce, toStoredPayment } from './submit/attempt.ts';
import { bareAnswer } from './state/apply-outcome.ts';
import { decide, type Fact } from './state/decide.ts';
import type { PaymentsDeps } from './deps.ts';
import { attemptOf, type Attempt, type NotificationType, type PaymentRecord, type Refund, type Step } from './facts.ts';
import type { Change } from './store/payment-store.ts';
import { readAction, type Submitter } from './submit/submit.ts';

export interface Asker {
  /** Claims what is due, one payment after the other up to `limit`, and asks; gives how many it asked about. */
  askDue(worker: string, limit: number, isStopping: () => boolean): Promise<number>;
  /** When the next question is due; undefined: none is. */
  nextDueAt(): Promise<Date | undefined>;
  /** Frees what a dead worker had claimed. */
  releaseWorker(worker: string): Promise<void>;
}

/** Questions at once, in all and to one provider: one that hangs keeps no other waiting. */
const MAX_LANES = 16;
const LANES_PER_ADAPTER = 4;
/** So often a question may end who asks it, or fail for a reason of our own, before a person must look. */
const MAX_LAPSES = 5;
/** Refunds are asked for as long as it takes; after so many questions, about five days, a person must look. */
const REFUND_ALARM_AFTER = 10;
/** More fetches than this without news about one wish: a person must look. */
const MAX_WISH_FAILS = 200;

export function createAsker(deps: PaymentsDeps & { readonly connection: Connection }, submitter: Submitter): Asker {
  const { connection, store, calls, sealer, feeOf, now, log } = deps;
  const model = paymentRequestModel(connection);
  // A part of a question has at most a completion, a fetch and a note to the provider; the lease is renewed for each.
  const leaseMs = 3 * deps.config.callTimeoutMs + 30_000;

  async function claim(worker: string, except: readonly string[]): Promise<PaymentRecord | undefined> {
    const found = await model
      .findOneAndUpdate(
        { askAt: { $type: 'date', $lte: now() }, ...(except.length && { 'attempts.adapter': { $nin: [...except] } }) },
        [
          {
            $set: {
              askAt: new Date(now().getTime() + leaseMs),
              askToken: { $literal: randomUUID() },
              askWorker: { $literal: worker },
              // Whoever held it ended without a word.
              askLapses: { $add: [{ $ifNull: ['$askLapses', 0] }, { $cond: [{ $eq: ['$askToken', null] }, 0, 1] }] },
              version: { $add: ['$version', 1] },
            },
          },
        ],
        { sort: { askAt: 1 }, returnDocument: 'after', updatePipeline: true },
      )
      .lean();
    return found ? (fromDocument(found) as PaymentRecord) : undefined;
  }

  async function ask(claimed: PaymentRecord, requestId: string): Promise<void> {
    if (claimed.askLapses > MAX_LAPSES) return putAside(claimed);
    let record = claimed;
    let hasAsked = false;
    // A payment may have many calls to make, each of which may take its time; the claim's own lease is for the first.
    const turn = async (): Promise<void> => {
      if (hasAsked) await renew(claimed);
      hasAsked = true;
    };
    for (const { n } of claimed.attempts) {
      if (!isDue(attemptOf(record, n)!, now())) continue;
      await turn();
      record = await askAttempt(record, n, requestId);
    }
    for (const { n } of claimed.refunds) {
      if (!isRefundDue(record.refunds[n - 1]!, now())) continue;
      await turn();
      record = await askRefund(record, n, requestId);
    }
    await store.change(record._id, requestId, (current) =>
      current.askToken === claimed.askToken ? { next: current, endsAsk: true } : undefined,
    );
  }

  async function renew({ _id, askToken }: PaymentRecord): Promise<void> {
    await model.updateOne({ _id, askToken }, { $set: { askAt: new Date(now().getTime() + leaseMs) } });
  }

  /** Its question ended whoever asked it, time and again. A wish, as of a callback, brings it back. */
  async function putAside({ _id, askToken }: PaymentRecord): Promise<void> {
    const aside = { askAt: null, askToken: null, askWorker: null, askLapses: 0 };
    await model.updateOne({ _id, askToken }, { $set: aside, $inc: { version: 1 } });
    log.error(
      { alarm: true, paymentRequestId: _id },
      'its question ended the workers that asked it: a person must look',
    );
  }

  async function askAttempt(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord> {
    let current = record;
    const attempt = attemptOf(record, n)!;
    if (attempt.endedAt === null) {
      const outcome = unknown('the submission did not end; its process may have been killed');
      current = await settle(record._id, requestId, [bareAnswer(n, outcome, now())]);
    }
    const taken = takenStep(attempt);
    if (taken && attempt.outcome === 'open') {
      const completed = await submitter.complete(current, n, readStep(taken), taken.nonce, requestId);
      current = completed.record;
      if (completed.outcome.outcome !== 'unknown')
        return noteAsked(current, attempt, [], attempt.commitNote, requestId);
    }
    return fetch(current, attemptOf(current, n)!, requestId);
  }

  function readStep({ posted }: Step): CompletionStep {
    if (!posted) return { kind: 'return' };
    return JSON.parse(sealer.open(posted).toString('utf8')) as CompletionStep; // What we sealed ourselves.
  }

  async function fetch(record: PaymentRecord, attempt: Attempt, requestId: string): Promise<PaymentRecord> {
    const action = attempt.action ? readAction(sealer.open(attempt.action)) : null;
    const payment = toStoredPayment(record, attempt, action);
    const isWished = attempt.wishes > attempt.answered;
    const subjects = isWished && attempt.wishedFor.length ? attempt.wishedFor : [''];
    let current = record;
    const failed: string[] = [];
    let commitNote = attempt.commitNote;
    for (const subject of subjects) {
      const report = await calls.fetchStatus(attempt.adapter, payment, subject || undefined);
      log.info(
        { requestId, paymentRequestId: record._id, attempt: attempt.n, adapter: attempt.adapter, news: report.news },
        'asked the provider',
      );
      const facts = factsOf(attempt, report);
      // What does not agree with the payment is not stored, so the provider is not told that it was seen.
      const agrees = facts.every((fact) => {
        const decision = decide(current, fact, feeOf);
        return decision.kind !== 'refused' || !decision.ask;
      });
      if (report.news === 'none') failed.push(subject);
      else current = await settle(record._id, requestId, facts);
      if (report.news === 'events') {
        if (agrees) commitNote = report.commitNote ?? commitNote;
        if (report.events.some(({ awaitsCompletion }) => awaitsCompletion))
          current = await completeUnseen(current, attempt.n, requestId);
      }
    }
    return noteAsked(current, attempt, failed, await tell(current, attempt, commitNote), requestId);
  }

  /** The payer finished the step, but the return never reached us. */
  async function completeUnseen(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord> {
    const attempt = attemptOf(record, n)!;
    const step = attempt.steps.findLast(({ doneAt }) => !doneAt);
    if (attempt.outcome !== 'open' || !step) return record;
    return (await submitter.complete(record, n, { kind: 'return' }, step.nonce, requestId)).record;
  }

  /** Tells the provider that its facts are stored; gives the note that still has to be told. */
  async function tell(record: PaymentRecord, attempt: Attempt, note: string | null): Promise<string | null> {
    if (note === null) return null;
    const stored = attemptOf(record, attempt.n)!;
    const payment = toStoredPayment(record, stored, null);
    const told = await calls.afterCommit(attempt.adapter, payment, note);
    return told === 'done' ? null : note;
  }

  function factsOf(attempt: Attempt, report: StatedReport): Fact[] {
    switch (report.news) {
      case 'none':
        return [];
      case 'nothing_charged':
        // A provider that has given a number of its own once did have it: that it does not find it now proves nothing.
        return attempt.outcome === 'open' && attempt.providerReference === null
          ? [bareAnswer(attempt.n, nothingCharged('the provider never had it'), now())]
          : [];
      case 'waiting': {
        const { action } = report;
        // Until a step that was taken is completed nothing is known anew, whatever the provider says meanwhile.
        const isNew =
          attempt.outcome === 'open' &&
          !takenStep(attempt) &&
          (attempt.unknown || (action !== undefined && attempt.action === null));
        const sealed = attempt.action ?? (action ? sealer.seal(JSON.stringify(action)) : null);
        return isNew ? [{ ...bareAnswer(attempt.n, { outcome: 'pending' }, now()), action: sealed }] : [];
      }
      case 'events':
        return report.events
          .filter(({ reference }) => reference === null || reference === attempt.reference)
          .flatMap((event): Fact[] => {
            const fact: Fact = { type: 'event', attempt: attempt.n, event, at: now(), own: true };
            const { action } = event;
            if (!action || attempt.action || attempt.outcome !== 'open') return [fact];
            // The answer that would have brought the action never came: the fetch brings it instead.
            const transactionId = action.type === 'redirect' ? action.transactionId : undefined;
            const step =
              transactionId === undefined
                ? null
                : { nonce: newNonce(), transactionId, takenAt: null, doneAt: null, posted: null };
            const shown = bareAnswer(attempt.n, { outcome: 'pending', action }, now());
            return [fact, { ...shown, action: sealer.seal(JSON.stringify(action)), step }];
          });
    }
  }

  async function settle(id: number, requestId: string, facts: readonly Fact[]): Promise<PaymentRecord> {
    const { record } = await store.change(id, requestId, (current) => foldFacts(current, facts, feeOf));
    return record;
  }

  async function noteAsked(
    record: PaymentRecord,
    noted: Attempt,
    failed: readonly string[],
    commitNote: string | null,
    requestId: string,
  ): Promise<PaymentRecord> {
    const changed = await store.change(record._id, requestId, (current) => {
      const attempt = attemptOf(current, noted.n)!;
      const pinged = attempt.wishes > noted.wishes;
      const wishFails = failed.length ? noted.wishFails + 1 : 0;
      const told = {
        // What somebody wished for is no step of the policy: a payer who watches the page must not use them up.
        asked: noted.wishes > noted.answered ? attempt.asked : attempt.asked + 1,
        askedAt: now(),
        commitNote,
        gaveUp: attempt.gaveUp || wishFails > MAX_WISH_FAILS || isGivenUp(current, attempt),
        ...(pinged
          ? { wishFails: 0 }
          : {
              wishFails,
              wishedFor: noted.wishes > noted.answered ? failed : [],
              answered:
                failed.length && noted.wishes > noted.answered && wishFails <= MAX_WISH_FAILS
                  ? attempt.answered
                  : attempt.wishes,
            }),
      };
      if (told.gaveUp && !attempt.gaveUp) {
        log.error(
          { alarm: true, requestId, paymentRequestId: current._id, attempt: attempt.n },
          'given up: a person must look',
        );
      }
      return {
        next: { ...current, attempts: current.attempts.map((one) => (one.n === noted.n ? { ...one, ...told } : one)) },
      };
    });
    return changed.record;
  }

  function isGivenUp(record: PaymentRecord, attempt: Attempt): boolean {
    if (attempt.outcome !== 'open') return false;
    return deps.delayOf(record, { ...attempt, asked: attempt.asked + 1 }) === undefined;
  }

  async function askRefund(record: PaymentRecord, n: number, requestId: string): Promise<PaymentRecord> {
    const refund = record.refunds[n - 1]!;
    const attempt = attemptOf(record, refund.attempt)!;
    const payment = toStoredPayment(record, attempt, null);
    const money = { amount: refund.amount, currency: attempt.currency };
    // Repeating a refund under its own reference is safe, and tells how it stands; but not where the request did not
    // get as far as that.
    const outcome = await calls.refund(attempt.adapter, payment, { reference: refund.reference, money, note: null });
    const certain = outcome.outcome !== 'failed' || !(outcome.neverSent || outcome.turnedAway);
    const facts: Fact[] = certain ? [{ type: 'refund_answer', refund: n, outcome, at: now() }] : [];
    if (refund.state === 'pending' || !certain) {
      const report = await calls.fetchStatus(attempt.adapter, payment, refund.providerReference ?? undefined);
      facts.push(...factsOf(attempt, report));
    }
    if (refund.asked + 1 === REFUND_ALARM_AFTER) {
      const line = { alarm: true, requestId, paymentRequestId: record._id, refund: refund.reference };
      log.error(line, 'nobody knows what became of a refund: a person must look');
    }
    const { record: settled } = await store.change(record._id, requestId, (current) => {
      const change = foldFacts(current, facts, feeOf);
      const next = change?.next ?? current;
      const refunds = next.refunds.map((one) => (one.n === n ? { ...one, asked: one.asked + 1, askedAt: now() } : one));
      return { announce: change?.announce ?? [], next: { ...next, refunds } };
    });
    return settled;
  }

  async function askOne(claimed: PaymentRecord): Promise<void> {
    const requestId = `ask-${claimed.askToken}`;
    try {
      await ask(claimed, requestId);
    } catch (error) {
      // Its lease lapses, and it is asked about again; the others do not wait for that.
      log.error({ err: error, requestId, paymentRequestId: claimed._id }, 'a payment could not be asked about');
    }
  }

  return {
    async askDue(worker, limit, isStopping) {
      let asked = 0;
      const atAdapter = new Map<string, number>();
      const lanes = new Set<Promise<void>>();

      async function lane(): Promise<void> {
        while (asked < limit && !isStopping()) {
          const busy = [...atAdapter].flatMap(([name, count]) => (count >= LANES_PER_ADAPTER ? [name] : []));
          const claimed = await claim(worker, busy);
          if (!claimed) return;
          asked += 1;
          const names = new Set(claimed.attempts.map(({ adapter }) => adapter));
          for (const name of names) atAdapter.set(name, (atAdapter.get(name) ?? 0) + 1);
          // More may be due, and this one may wait for a provider that hangs.
          if (lanes.size < MAX_LANES) open();
          await askOne(claimed);
          for (const name of names) atAdapter.set(name, atAdapter.get(name)! - 1);
        }
      }

      function open(): void {
        const run: Promise<void> = lane().finally(() => lanes.delete(run));
        lanes.add(run);
      }

      open();
      while (lanes.size) await Promise.race(lanes);
      return asked;
    },
    async nextDueAt() {
      const next = await model
        .findOne({ askAt: { $type: 'date' } }, { askAt: 1 })
        .sort({ askAt: 1 })
        .lean();
      return next?.askAt ?? undefined;
    },
    async releaseWorker(worker) {
      await model.updateMany(
        { askWorker: { $type: 'string', $eq: worker } },
        { $set: { askAt: now(), askToken: null, askWorker: null }, $inc: { version: 1, askLapses: 1 } },
      );
    },
  };
}

/** Several facts in one change; undefined where none of them changes anything. */
export function foldFacts(
  record: PaymentRecord,
  facts: readonly Fact[],
  feeOf: PaymentsDeps['feeOf'],
): Change | undefined {
  let next = record;
  const announce: NotificationType[] = [];
  for (const fact of facts) {
    const decision = decide(next, fact, feeOf);
    if (decision.kind === 'nothing') continue;
    next = decision.next;
    if (decision.kind === 'changed') announce.push(...decision.announce);
  }
  return next === record ? undefined : { next, announce };
}

function isDue(attempt: Attempt, now: Date): boolean {
  // While the submission runs its own answer comes first, whatever is wished for.
  if (attempt.endedAt === null) return attempt.outcome === 'open' && attempt.deadlineAt <= now;
  if (attempt.wishes > attempt.answered || attempt.commitNote !== null) return true;
  return attempt.outcome === 'open' && !attempt.gaveUp;
}

/** A step that was taken, and that `complete` has not answered for. */
function takenStep({ steps }: Attempt): Step | undefined {
  return steps.find(({ takenAt, doneAt }) => takenAt && !doneAt);
}

function isRefundDue({ state, requestedAt, askedAt }: Refund, now: Date): boolean {
  if (state === 'succeeded' || state === 'failed') return false;
  return now.getTime() - (askedAt ?? requestedAt).getTime() >= 1000;
}

/** Adds a wish to ask about the attempt, or about one refund or case of it. */
export function withWish(record: PaymentRecord, n: number, subject = ''): PaymentRecord {
  const attempts = record.attempts.map((attempt) =>
    attempt.n === n
      ? {
          ...attempt,
          wishes: attempt.wishes + 1,
          wishFails: 0,
          wishedFor: [...new Set([...attempt.wishedFor, subject])].slice(-20),
        }
      : attempt,
  );
  return { ...record, attempts };
}
