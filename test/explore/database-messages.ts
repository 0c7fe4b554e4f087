/** Holds the commands of an actor back, right before the driver sends them, and lets them read our clock for the server's. */
import { createRequire } from 'node:module';
import { mongo } from 'mongoose';
import { beforeMessage, currentActor, underWay, type Fate } from './actors.ts';
import { clock } from './clock.ts';

/** Collections whose order of commands matters; what an actor reads of others passes at once. */
const watched = ['paymentRequests', 'inbox', 'notifications', 'idempotencyRecords', 'clients'];

interface Operation {
  readonly commandName: string;
  readonly ns: { readonly collection?: string };
  /** Of those whose namespace does not name it. */
  readonly collection?: { readonly collectionName: string };
  readonly target?: string;
  readonly session?: Session;
  /** Of a bulk write: the bytes of its parts, which the driver sends in the place of the parts. */
  serializedOperations?: unknown;
  buildCommand(...given: readonly unknown[]): unknown;
}

interface Session {
  inTransaction(): boolean;
}

interface ServerClass {
  readonly prototype: { command(operation: Operation, ...rest: readonly unknown[]): Promise<unknown> };
}

/**
 * The driver has no hook that can wait, so the one method that every command goes through is wrapped. `spoil` puts a fault
 * into what actors send.
 */
export function holdDatabaseMessages(spoil?: (command: object) => object): void {
  const require = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const { Server } = require('mongodb/lib/sdam/server') as { readonly Server: ServerClass };
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the server that it is called for
  const { command } = Server.prototype;
  Server.prototype.command = async function (operation, ...rest) {
    // In bytes nobody finds the server's time.
    if (operation.serializedOperations) operation.serializedOperations = undefined;
    const build = operation.buildCommand.bind(operation);
    const isSpoiled = spoil !== undefined && currentActor.getStore() !== undefined;
    operation.buildCommand = (...given) => {
      const command = withOurTime(build(...given));
      return isSpoiled ? spoil(command as object) : command;
    };
    const send = async (): Promise<unknown> => {
      try {
        return await underWay(async () => command.call(this, operation, ...rest));
      } finally {
        operation.buildCommand = build;
      }
    };
    const collection = collectionOf(operation);
    if (currentActor.getStore()?.state === 'killed') return new Promise(() => undefined);
    const fate = await fateOf(operation, collection);
    const answer = await send();
    if (fate === 'pass') return answer;
    // As when the connection breaks after the server did it: the driver repeats what may be repeated.
    const lost = new mongo.MongoNetworkError('the answer of the database got lost');
    lost.addErrorLabel('RetryableWriteError');
    throw lost;
  };
}

/** Fates of transactions that have begun. */
const transactions = new WeakMap<Session, Fate>();

/**
 * A transaction is one message: nobody sees it before its end, and an actor that waits for it in the server would keep all others
 * waiting here. Its fate is that of its end.
 */
async function fateOf({ commandName, session }: Operation, collection: string): Promise<Fate> {
  const begun = session && transactions.get(session);
  if (session && begun && (commandName === 'commitTransaction' || commandName === 'abortTransaction')) {
    transactions.delete(session);
    return commandName === 'commitTransaction' ? begun : 'pass';
  }
  if (begun) return 'pass';
  if (!watched.includes(collection)) return 'pass';
  if (!session?.inTransaction()) return beforeMessage(`${commandName} ${collection}`);
  const fate = await beforeMessage(`transaction from ${commandName} ${collection}`);
  transactions.set(session, fate);
  return 'pass';
}

function collectionOf({ ns, collection, target }: Operation): string {
  return collection?.collectionName ?? target ?? ns.collection ?? '';
}

/** The command with our time in place of the server's. */
function withOurTime(value: unknown): unknown {
  if (value === '$$NOW') return clock.now();
  if (Array.isArray(value)) return value.map(withOurTime);
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withOurTime(member)]));
}
