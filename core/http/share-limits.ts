import type { ConnectionLimits } from './start-server.ts';

type Shared = Pick<ConnectionLimits, 'maxConnections' | 'maxConnectionsPerAddress'> & {
  readonly bodyBudgetBytes: number;
};

/**
 * The part of one process where several share the port: connections and memory are the host's. Connections are dealt out
 * in turn, so that each process gets as many of an address as the others.
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
