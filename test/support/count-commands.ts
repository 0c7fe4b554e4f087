/** Counts what this process asks the database for. */
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
  /** Each as its name and collection, in the order in which they were sent. */
  readonly commands: readonly string[];
  /** Those without what the process asks every few seconds, whatever its work, and the log of API calls. */
  readonly ofWork: readonly string[];
  /** That are not answered yet. */
  readonly underWay: number;
  forget(): void;
  /**
   * From now on commands leave only when none has come for a moment, all at once: as many callers wait for one answer as
   * behind a busy server, however quick or slow this machine is.
   */
  gather(): void;
  /** From now on they leave at once again. */
  scatter(): void;
  end(): void;
}

const gatherMs = 20;

/** The driver reports commands only to clients that asked for it when they were made: its one way out is wrapped. */
export function countCommands(): CommandCount {
  const require = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const { Server } = require('mongodb/lib/sdam/server') as { readonly Server: ServerClass };
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the server that it is called for
  const { command } = Server.prototype;
  let commands: string[] = [];
  let underWay = 0;
  let gathered: (() => void)[] | undefined;
  let timer: NodeJS.Timeout | undefined;
  const leaveTogether = async (): Promise<void> =>
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
    underWay += 1;
    try {
      if (gathered) await leaveTogether();
      return await command.call(this, operation, ...rest);
    } finally {
      underWay -= 1;
    }
  };
  const letGo = (): void => {
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
    get underWay() {
      return underWay;
    },
    forget() {
      commands = [];
    },
    gather() {
      gathered = [];
    },
    scatter: letGo,
    end() {
      letGo();
      Server.prototype.command = command;
    },
  };
}
