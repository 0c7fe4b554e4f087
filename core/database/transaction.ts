/** Transactions: all writes are stored durably, or none. */
import { mongo, type Connection } from 'mongoose';
import { isDatabaseAway } from './database-away.ts';

export interface Transactions {
  /** The id of the server session. `endTransaction` ends a dead worker's transaction by this id. */
  readonly id: string;
  /**
   * Runs `write`, all of whose commands must use the given session. Rejects with nothing stored if `write` rejects or
   * another transaction was faster. If the answer to the commit is lost for good, the writes may be stored anyway.
   */
  run(write: (session: mongo.ClientSession) => Promise<void>): Promise<void>;
  end(): Promise<void>;
  /**
   * Ends the session if the server may not know how the latest transaction ended, so that nothing of it stays open.
   * Rejects if the database does not answer; it can then be called again.
   */
  discard(): Promise<void>;
}

/** Another process wrote first. The caller must read the stored state and compute its writes again. */
export class ConflictError extends Error {
  constructor() {
    super('another process was faster');
  }
}

/** How often the commit is sent at most, until an answer says whether the server has committed. */
const COMMIT_TRIES = 3;

/** Opens a session whose transactions run one after another. */
export function openTransactions(connection: Connection): Transactions {
  const session = connection.getClient().startSession();
  const id = session.id!.id.toString('hex');
  let isEnded = false;
  return {
    id,

    async run(write) {
      session.startTransaction({
        readConcern: { level: 'local' },
        writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5000 },
      });
      try {
        await write(session);
      } catch (error) {
        // If aborting fails too, the server aborts the transaction after a minute.
        await session.abortTransaction().catch(() => undefined);
        throw error;
      }
      for (let tries = 1; ; tries += 1) {
        try {
          await session.commitTransaction();
          return;
        } catch (error) {
          if (tries >= COMMIT_TRIES || !isUnknown(error)) throw error;
        }
      }
    },

    end: async () => session.endSession(),

    async discard() {
      if (isEnded) return;
      await endTransaction(connection, id).catch((error: unknown) => {
        // If the server refuses, it ends the transaction itself after a minute.
        if (isDatabaseAway(error)) throw error;
      });
      isEnded = true;
      // End the session last: the driver reuses an ended session for the next command.
      await session.endSession();
    },
  };
}

/**
 * Ends a transaction that a dead process left open. The server does not notice the death of a process, and all other
 * writes to the same documents would wait for a minute.
 */
export async function endTransaction(connection: Connection, id: string): Promise<void> {
  const admin = connection.getClient().db('admin');
  await admin.command({ killSessions: [{ id: new mongo.UUID(id) }] });
}

function isUnknown(error: unknown): boolean {
  return (error as Partial<mongo.MongoError>).hasErrorLabel?.('UnknownTransactionCommitResult') === true;
}
