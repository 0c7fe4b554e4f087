/**
 * Checks the sums of clients against what their payments say is counted, and corrects both while the service runs. The
 * sums are corrected by compare-and-set, as they are counted. A payment that was changed but not marked is marked as
 * due, so that it is counted next.
 */
import type { Connection } from 'mongoose';
import { clientModel, type Client } from '../../../database/collections/client.ts';
import { fromDocument, toDecimal } from '../../../database/decimals.ts';
import type { DepositSum, DepositSums } from '../../../database/collections/deposit.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Actor, Audit } from '../../audit/index.ts';
import type { Environment } from '../../../base/environment.ts';
import { changeSums } from './deposits.ts';
import { markedSteps, unmarkedChanges, type MarkedPayment } from './clients.ts';

export interface CorrectedClient {
  readonly clientId: number;
  readonly kept: DepositSums;
  /** The sums according to the client's payments. */
  readonly right: DepositSums;
  /** The number of payments that were not marked. */
  readonly unmarked: number;
}

export interface CheckedPage {
  readonly checked: number;
  readonly corrected: readonly CorrectedClient[];
}

interface Checked extends Pick<Client, '_id' | 'counts' | 'deposits' | 'counting'> {
  readonly counted: readonly (DepositSum & { readonly _id: string })[];
  readonly marked: readonly MarkedPayment[];
  readonly unmarked: readonly Pick<PaymentRecord, '_id' | 'version'>[];
}

const PAGE = 100;

/** Page by page, of one environment or of both. */
export async function* rebuildDeposits(connection: Connection, environment?: Environment): AsyncGenerator<CheckedPage> {
  const clients = clientModel(connection).collection;
  const payments = paymentRequestModel(connection).collection;
  const steps = checkingSteps(payments.collectionName);

  async function check(ids: readonly number[]): Promise<Checked[]> {
    const found = await clients
      .aggregate([{ $match: { _id: { $in: ids } } }, ...steps], { readConcern: 'snapshot' })
      .toArray();
    return fromDocument(found) as Checked[];
  }

  /** Starts again if another process counts at the same time. */
  async function correct(first: Checked): Promise<CorrectedClient | undefined> {
    for (let one: Checked | undefined = first; one; one = (await check([first._id]))[0]) {
      const { _id, counts, deposits, unmarked } = one;
      const right = rightSums(one);
      const isRight = isSame(deposits, right);
      if (isRight && !unmarked.length) return undefined;
      for (const { _id: id, version } of unmarked)
        await payments.updateOne(
          { _id: id as never, version, depositDue: null },
          // A new version, so that no earlier count hides the change.
          { $set: { depositDue: version + 1, version: version + 1 } },
        );
      const corrected = { clientId: _id, kept: deposits, right, unmarked: unmarked.length };
      if (isRight) return corrected;
      const stored = Object.entries(right).map(([currency, { paid, refunded }]) => [
        currency,
        { paid: toDecimal(paid), refunded: toDecimal(refunded) },
      ]);
      const { matchedCount } = await clients.updateOne(
        { _id: _id as never, counts },
        { $set: { deposits: Object.fromEntries(stored) as object }, $inc: { counts: 1 } },
      );
      if (matchedCount === 1) return corrected;
    }
    return undefined;
  }

  for (let after = -1; ;) {
    const page = await clients
      .find(
        { _id: { $gt: after as never }, aliasOf: { $exists: false }, ...(environment && { environment }) },
        { projection: { _id: 1 } },
      )
      .sort({ _id: 1 })
      .limit(PAGE)
      .toArray();
    const ids = page.map(({ _id }) => Number(_id));
    const last = ids.at(-1);
    if (last === undefined) return;
    const corrected: CorrectedClient[] = [];
    for (const one of await check(ids)) {
      const client = await correct(one);
      if (client) corrected.push(client);
    }
    yield { checked: ids.length, corrected };
    after = last;
  }
}

function rightSums({ counted, counting, marked }: Checked): DepositSums {
  const sums = Object.fromEntries(counted.map(({ _id, paid, refunded }) => [_id, { paid, refunded }]));
  // What the sums include and the payments do not say yet: `before` and `after` change sides.
  const unmarked = unmarkedChanges(counting, marked).map(({ before, after }) => ({ before: after, after: before }));
  return changeSums(sums, unmarked);
}

function isSame(one: DepositSums, other: DepositSums): boolean {
  const currencies = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...currencies].every((currency) => {
    const [a, b] = [one[currency] ?? nothing, other[currency] ?? nothing];
    return a.paid === b.paid && a.refunded === b.refunded;
  });
}

const nothing: DepositSum = { paid: '0', refunded: '0' };

function checkingSteps(from: string): readonly object[] {
  const sums = [
    { $match: { countedDeposit: { $type: 'object' } } },
    {
      $group: {
        _id: '$countedDeposit.currency',
        paid: { $sum: '$countedDeposit.paid' },
        refunded: { $sum: '$countedDeposit.refunded' },
      },
    },
  ];
  const differs = [
    ['$paidCurrency', '$countedDeposit.currency'],
    ['$paidAmount', '$countedDeposit.paid'],
    ['$refundedAmount', '$countedDeposit.refunded'],
  ].map((pair) => ({ $ne: pair }));
  const unmarked = [
    { $match: { depositDue: null, paidCurrency: { $type: 'string' }, $expr: { $or: differs } } },
    { $project: { version: 1 } },
  ];
  const own = { from, localField: '_id', foreignField: 'clientId' };
  return [
    { $project: { counts: 1, deposits: 1, counting: 1 } },
    { $lookup: { ...own, pipeline: sums, as: 'counted' } },
    { $lookup: { ...own, pipeline: unmarked, as: 'unmarked' } },
    ...markedSteps(from),
  ];
}

export interface Rebuilt {
  readonly checked: number;
  readonly corrected: readonly CorrectedClient[];
}

/** The audit log records the sums of at most this many clients. */
const MOST_NAMED = 100;

/** `rebuildDeposits` as an audited action. */
export async function rebuildDepositsBy(
  by: Actor,
  audit: Pick<Audit, 'run'>,
  connection: Connection,
  environment: Environment | undefined,
  onProgress: (soFar: Rebuilt) => void,
): Promise<Rebuilt> {
  const subject = { type: 'clients', id: environment ?? 'all' };
  return audit.run(by, { act: 'deposits.rebuild', subject }, async () => {
    let checked = 0;
    const corrected: CorrectedClient[] = [];
    for await (const page of rebuildDeposits(connection, environment)) {
      checked += page.checked;
      corrected.push(...page.corrected);
      onProgress({ checked, corrected });
    }
    const sums = corrected.slice(0, MOST_NAMED).map(({ clientId, kept, right }) => ({ clientId, kept, right }));
    return { value: { checked, corrected }, after: { checked, mended: corrected.length, sums } };
  });
}
