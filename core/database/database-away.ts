/** Distinguishes a database that cannot be reached now from a database that refuses a command. */
import { mongo } from 'mongoose';

/** Codes for: no primary, a server that shuts down, or no majority within the time limit. */
const awayCodes = new Set([6, 7, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
/** The driver does not export the error classes of its connection pool. */
const poolErrors = new Set(['MongoWaitQueueTimeoutError', 'MongoPoolClosedError']);

/**
 * True if the same command is likely to succeed once the database answers again. The failed command may have been
 * executed.
 */
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
