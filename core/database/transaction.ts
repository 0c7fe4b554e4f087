/** Several writes at once: all of them are stored, durably, or none. */
import { mongo, type Connection } from 'mongoose';
import { isDatabaseAway } from './database-away.ts';

export interface Transactions {
  /** Names the server's side of it, by which `endTransaction` ends it for a worker that died. */
  readonly id: string;
  /**
   * Runs `write`, all of whose commands must name the session it is given. Rejects with nothing stored where `write` rejects
   * or another transaction was quicker; where the answer to the commit got lost for good, it may be stored all the same.
   */
  run(write: (session: mongo.ClientSession) => Promise<void>): Promise<void>;
  end(): Promise<void>;
  /**
   * Ends them where the server may not have heard how the latest ended: nothing of it stays open. Rejects where the
   * database does not answer; then it may be called again.
   */
  discard(): Promise<void>;
}

/** Somebody else was quicker: what is to be written is worked out again, from what is stored now. */
export class ConflictError extends Error {
  constructor() {
    super('another process was quicker');
  }
}

/** So often the server is asked whether it has committed. */
const COMMIT_TRIES = 3;

/** Transactions of one after another. */
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
        // Where that fails, too, the server does it after a minute.
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
        // Where the server does not let us, it does it itself after a minute.
        if (isDatabaseAway(error)) throw error;
      });
      isEnded = true;
      // Not before: the driver gives a session that has ended to the next command.
      await session.endSession();
    },
  };
}

/**
 * Ends what a process that died left open. The server does not notice its death, and everybody else's writes of the same
 * documents would wait for a minute.
 */
export async function endTransaction(connection: Connection, id: string): Promise<void> {
  const admin = connection.getClient().db('admin');
  await admin.command({ killSessions: [{ id: new mongo.UUID(id) }] });
}

function isUnknown(error: unknown): boolean {
  return (error as Partial<mongo.MongoError>).hasErrorLabel?.('UnknownTransactionCommitResult') === true;
}
