/** Counts the database commands of this process. */
import { createRequire } from 'node:module';

interface Operation {
  readonly commandName: string;
  readonly ns: { readonly collection?: string };
  readonly target?: string;
  readonly collection?: { readonly collectionName: string };
}

interface ServerClass {
  readonly prototype: { command(operation: Operation, ...rest: readonly unknown[]): Promise<unknown> };
}

export interface CommandCount {
  /** Name and collection of each command, in the order in which they were sent. */
  readonly commands: readonly string[];
  /**
   * The commands without those that the process sends every few seconds in any case, and without the log of API calls.
   */
  readonly ofWork: readonly string[];
  /** Commands without a response yet. */
  readonly inProgress: number;
  forget(): void;
  /**
   * From now on, hold commands until none has come for a moment, then send them together. As many callers wait for one
   * response as behind a busy server, whatever the speed of this machine.
   */
  gather(): void;
  /** From now on, send commands immediately again. */
  scatter(): void;
  end(): void;
}

const gatherMs = 20;

/**
 * The driver reports commands only to clients that requested monitoring when they were created. This wraps the one
 * method that sends.
 */
export function countCommands(): CommandCount {
  const require = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const { Server } = require('mongodb/lib/sdam/server') as { readonly Server: ServerClass };
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the server that it is called for
  const { command } = Server.prototype;
  let commands: string[] = [];
  let inProgress = 0;
  let gathered: (() => void)[] | undefined;
  let timer: NodeJS.Timeout | undefined;
  const sendTogether = async (): Promise<void> =>
    new Promise((resolve) => {
      gathered!.push(resolve);
      clearTimeout(timer);
      timer = setTimeout(() => {
        for (const leave of gathered?.splice(0) ?? []) leave();
      }, gatherMs);
    });
  Server.prototype.command = async function (operation, ...rest) {
    const { commandName, ns, target, collection } = operation;
    commands.push(`${commandName} ${collection?.collectionName ?? target ?? ns.collection ?? ''}`);
    inProgress += 1;
    try {
      if (gathered) await sendTogether();
      return await command.call(this, operation, ...rest);
    } finally {
      inProgress -= 1;
    }
  };
  const release = (): void => {
    for (const leave of gathered?.splice(0) ?? []) leave();
    gathered = undefined;
  };
  return {
    get commands() {
      return commands;
    },
    get ofWork() {
      return commands.filter((one) => !/ (adapterStates|adapterRuns|apiCalls)$/.test(one));
    },
    get inProgress() {
      return inProgress;
    },
    forget() {
      commands = [];
    },
    gather() {
      gathered = [];
    },
    scatter: release,
    end() {
      release();
      Server.prototype.command = command;
    },
  };
}
