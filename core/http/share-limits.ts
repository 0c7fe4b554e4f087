import type { ConnectionLimits } from './start-server.ts';

type Shared = Pick<ConnectionLimits, 'maxConnections' | 'maxConnectionsPerAddress'> & {
  readonly bodyBudgetBytes: number;
};

/**
 * The limits of one process when several processes share the port: connections and memory belong to the host. The
 * cluster distributes connections in turn, so every process gets an equal share of the connections of an address.
 */
export function shareLimits<T extends Shared>(limits: T, processes: number): T {
  const part = (total: number): number => Math.ceil(total / processes);
  return {
    ...limits,
    maxConnections: part(limits.maxConnections),
    maxConnectionsPerAddress: part(limits.maxConnectionsPerAddress),
    bodyBudgetBytes: part(limits.bodyBudgetBytes),
  };
}
