/** The load generator, a separate process: sends the given messages, and reports the latency of each. */
import { openWire, type Wire } from './wire.ts';

export interface Load {
  readonly port: number;
  readonly messages: readonly string[];
  readonly connections: number;
  /**
   * With `perSecond` the loop is open: message n is due n / perSecond after the start, and its latency counts from
   * then. Without it the loop is closed.
   */
  readonly perSecond?: number;
}

export interface LoadResult {
  readonly seconds: number;
  /** Latency of each message. */
  readonly latenciesMs: readonly number[];
  /** When each message was answered, in milliseconds of the system's clock. */
  readonly answeredAt: readonly number[];
  /** Number of responses per status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Indexes of the messages with a status other than 200, and the response to the first of them. */
  readonly refused: readonly number[];
  readonly firstRefusal: string;
}

async function drive({ port, messages, connections, perSecond }: Load): Promise<LoadResult> {
  const wires = await Promise.all(Array.from({ length: connections }, async () => openWire(port)));
  const latenciesMs = messages.map(() => 0);
  const answeredAt = messages.map(() => 0);
  const statuses: Record<string, number> = {};
  const refused: number[] = [];
  let firstRefusal = '';
  let next = 0;
  const began = performance.now();
  const one = async (wire: Wire, index: number, dueAt: number): Promise<void> => {
    const { status, body } = await wire.send(messages[index]!);
    const at = performance.now();
    latenciesMs[index] = at - dueAt;
    answeredAt[index] = performance.timeOrigin + at;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 200) return;
    if (!refused.length) firstRefusal = body;
    refused.push(index);
  };
  const sendInTurn = async (wire: Wire): Promise<void> => {
    while (next < messages.length) {
      const index = next;
      next += 1;
      const dueAt = perSecond === undefined ? performance.now() : began + (index * 1000) / perSecond;
      await waitUntil(dueAt);
      await one(wire, index, dueAt);
    }
  };
  await Promise.all(wires.map(sendInTurn));
  const seconds = (performance.now() - began) / 1000;
  for (const wire of wires) wire.close();
  return { seconds, latenciesMs, answeredAt, statuses, refused, firstRefusal };
}

async function waitUntil(at: number): Promise<void> {
  const ms = at - performance.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

process.on('message', (load: Load) => {
  void drive(load).then(
    (result) => process.send!({ result }),
    (error: unknown) => process.send!({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
