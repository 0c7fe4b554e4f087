/** Tells a database that cannot be reached now from one that refuses what it was asked. */
import { mongo } from 'mongoose';

/** No primary, a server that stops, or no majority within the time limit. */
const awayCodes = new Set([6, 7, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
/** The driver does not export the errors of its pool of connections. */
const poolErrors = new Set(['MongoWaitQueueTimeoutError', 'MongoPoolClosedError']);

/** True where the same command is likely to pass once the database answers again; it may have been carried out. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof mongo.MongoError)) return false;
  if (error instanceof mongo.MongoServerError) return awayCodes.has(Number(error.code));
  return (
    error instanceof mongo.MongoNetworkError ||
    error instanceof mongo.MongoSystemError ||
    error instanceof mongo.MongoNotConnectedError ||
    poolErrors.has(error.name)
  );
}
