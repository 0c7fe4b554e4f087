/** A system that `npm run bench:peers` measures. */
export const workloads = ['charge', 'webhook', 'read'] as const;
export type Workload = (typeof workloads)[number];

export interface Cpu {
  /** CPU time of all processes, database included, in milliseconds. */
  readonly all: number;
  readonly database: number;
}

export interface Prepared {
  readonly messages: readonly string[];
  /** Waits until the messages had their whole effect. A webhook has it once the merchant is notified. */
  readonly done: () => Promise<void>;
}

export interface System {
  readonly name: string;
  readonly port: number;
  /** Versions, and the durability settings as the running database reports them. */
  readonly settings: readonly string[];
  /** Messages per round. A round takes each system a few seconds. */
  readonly counts: Readonly<Record<Workload, number>>;
  cpuMs(): Promise<Cpu>;
  prepare(workload: Workload, count: number): Promise<Prepared>;
  close(): Promise<void>;
}

export const nothingToWaitFor = async (): Promise<void> => undefined;
