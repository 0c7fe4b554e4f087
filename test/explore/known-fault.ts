/** Faults that are put into the product's commands, to show that the explorer finds them. */

interface Update {
  readonly q: Readonly<Record<string, unknown>>;
}

interface Command {
  readonly update?: string;
  readonly updates?: readonly Update[];
}

export type KnownFault = keyof typeof knownFaults;

export const knownFaults = {
  /** A change of a payment does not check whether another process changed it first. */
  'no-comparison': (command: object): object => {
    const { update, updates } = command as Command;
    if (update !== 'paymentRequests' || !updates) return command;
    return {
      ...command,
      updates: updates.map((one) => {
        const { version: _, 'lease.token': __, ...q } = one.q;
        return { ...one, q };
      }),
    };
  },
} as const;
