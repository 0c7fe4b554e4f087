/**
 * Schema version 7 (Paywright 1.0.0). Builds before it stored payments without the members by which operators find
 * them, `captureFailedAt: null` where later builds store nothing, and alarms without a history.
 */
import type { mongo } from 'mongoose';
import { alarmModel, type AlarmEvent } from '../../database/collections/alarm.ts';
import { paymentRequestModel, type PaymentRecord } from '../../database/collections/payment-request.ts';
import { schemaVersionModel } from '../../database/collections/schema-version.ts';
import { fromDocument } from '../../database/decimals.ts';
import { jobCollection } from '../jobs/index.ts';
import { withSearchMembers } from '../payments/index.ts';
import type { Migration, MoveUpdate } from './migration.ts';

const heldByWorker = 'lease.worker_1';

export const version7: Migration = {
  to: 7,
  moves: [
    {
      modelOf: paymentRequestModel,
      what: 'stores how operators find the payment; removes empty members',
      updateOf: movePayment,
    },
    { modelOf: alarmModel, what: 'stores when the alarm was raised in its history', updateOf: moveAlarm },
  ],
  removes: {
    indexes: {
      paymentRequests: ['depositsDue', heldByWorker],
      inbox: [heldByWorker],
      notifications: [heldByWorker],
      alarms: [heldByWorker],
    },
    members: [
      { modelOf: paymentRequestModel, paths: ['attempts.captureFailedAt'] },
      { modelOf: schemaVersionModel, paths: ['before', 'endedAt'] },
    ],
    documents: [
      {
        collection: jobCollection,
        filter: { name: { $in: ['count-deposits', 'retain', 'tell-alarms', 'index-search'] } },
        what: 'jobs that no longer exist',
      },
      { collection: 'meta', filter: { _id: 'payment search' }, what: 'the progress of the job index-search' },
    ],
  },
};

/**
 * Members for searches are also corrected: a host of the previous version that erases a payer does not know them. The
 * new version of the payment makes a concurrent change fail and retry.
 */
function movePayment(document: mongo.Document): MoveUpdate | undefined {
  const record = fromDocument(document) as PaymentRecord;
  const { searchKeys, problems } = withSearchMembers(record, record);
  const [hasKeys, hasProblems] = [searchKeys !== record.searchKeys, problems !== record.problems];
  const empty = record.attempts.flatMap(({ captureFailedAt }, at) =>
    captureFailedAt === null ? [[`attempts.${at}.captureFailedAt`, '']] : [],
  );
  if (!hasKeys && !hasProblems && empty.length === 0) return undefined;
  return {
    filter: { version: record.version },
    update: {
      $inc: { version: 1 },
      ...((hasKeys || hasProblems) && { $set: { ...(hasKeys && { searchKeys }), ...(hasProblems && { problems }) } }),
      ...(empty.length > 0 && { $unset: Object.fromEntries(empty) as mongo.Document }),
    },
  };
}

function moveAlarm({ history, firstSeenAt }: mongo.Document): MoveUpdate | undefined {
  if (history !== undefined) return undefined;
  const raised: AlarmEvent = { at: firstSeenAt as Date, what: 'raised' };
  return { filter: { history: { $exists: false }, firstSeenAt }, update: { $set: { history: [raised] } } };
}
