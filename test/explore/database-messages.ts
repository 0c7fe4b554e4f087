/**
 * Holds back an actor's commands just before the driver sends them, and replaces the server's time in them with our
 * clock.
 */
import { createRequire } from 'node:module';
import { mongo } from 'mongoose';
import { beforeMessage, currentActor, trackInProgress, type Fate } from './actors.ts';
import { clock } from './clock.ts';

/** Collections for which the order of commands matters. Reads of other collections pass immediately. */
const watched = ['paymentRequests', 'inbox', 'notifications', 'idempotencyRecords', 'clients'];

interface Operation {
  readonly commandName: string;
  readonly ns: { readonly collection?: string };
  /** Present if the namespace does not contain the collection. */
  readonly collection?: { readonly collectionName: string };
  readonly target?: string;
  readonly session?: Session;
  /** Bulk writes only: the serialized parts, which the driver sends instead of the parts. */
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
 * The driver has no hook that can wait, so this wraps the one method that every command passes. `injectFault` modifies
 * the commands of actors, to put a fault into the product.
 */
export function holdDatabaseMessages(injectFault?: (command: object) => object): void {
  const require = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const { Server } = require('mongodb/lib/sdam/server') as { readonly Server: ServerClass };
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the server that it is called for
  const { command } = Server.prototype;
  Server.prototype.command = async function (operation, ...rest) {
    // The server's time cannot be replaced in serialized bytes.
    if (operation.serializedOperations) operation.serializedOperations = undefined;
    const build = operation.buildCommand.bind(operation);
    const isSpoiled = injectFault !== undefined && currentActor.getStore() !== undefined;
    operation.buildCommand = (...given) => {
      const command = withOurTime(build(...given));
      return isSpoiled ? injectFault(command as object) : command;
    };
    const send = async (): Promise<unknown> => {
      try {
        return await trackInProgress(async () => command.call(this, operation, ...rest));
      } finally {
        operation.buildCommand = build;
      }
    };
    const collection = collectionOf(operation);
    if (currentActor.getStore()?.state === 'killed') return new Promise(() => undefined);
    const fate = await fateOf(operation, collection);
    const answer = await send();
    if (fate === 'pass') return answer;
    // Simulates a connection that breaks after the server ran the command: the driver repeats what may be repeated.
    const lost = new mongo.MongoNetworkError('the response of the database was lost');
    lost.addErrorLabel('RetryableWriteError');
    throw lost;
  };
}

/** Fates of transactions that have started. */
const transactions = new WeakMap<Session, Fate>();

/**
 * A transaction is one message: no one sees it before its end, and an actor that waits for it in the server would block
 * all others here. Its fate is the fate of its commit or abort.
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

/** Replaces the server's time in the command with ours. */
function withOurTime(value: unknown): unknown {
  if (value === '$$NOW') return clock.now();
  if (Array.isArray(value)) return value.map(withOurTime);
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withOurTime(member)]));
}
