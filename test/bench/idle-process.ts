/** Connections that are kept open and rarely used, in a separate process. */
import { openWire, request, type Wire } from './wire.ts';

export interface Idle {
  readonly port: number;
  readonly connections: number;
}

export interface IdleReport {
  /** Connections that the server closed. */
  readonly lost: number;
}

/** Interval between two uses of a connection. The server closes a connection that is idle for longer than 65 s. */
const usedEveryMs = 25_000;
const lookEveryMs = 250;
const message = request('GET', '/health', {});
const wires: Wire[] = [];
/** The latest use of each connection. A lost connection is counted at the end. */
const uses: Promise<unknown>[] = [];
let timer: NodeJS.Timeout | undefined;

async function open({ port, connections }: Idle): Promise<void> {
  for (let made = 0; made < connections; made += 1) {
    const wire = await openWire(port);
    const { status } = await wire.send(message);
    if (status !== 200) throw new Error(`GET /health was answered ${status}`);
    wires.push(wire);
  }
  const began = performance.now();
  let used = 0;
  timer = setInterval(() => {
    const due = ((performance.now() - began) / usedEveryMs) * connections;
    for (; used < due; used += 1) use(used % connections);
  }, lookEveryMs);
}

/** Waits for the previous use, which may take long on a busy machine. */
function use(place: number): void {
  const before = uses[place] ?? Promise.resolve();
  uses[place] = before.then(async () => wires[place]!.send(message)).catch(() => undefined);
}

/** Uses each connection once more, and counts the lost ones. */
async function countLost(): Promise<number> {
  clearInterval(timer);
  await Promise.all(uses);
  const answers = await Promise.allSettled(wires.map(async (wire) => wire.send(message)));
  return answers.filter(({ status }) => status === 'rejected').length;
}

process.on('message', ({ open: idle }: { readonly open?: Idle }) => {
  const done = idle ? open(idle).then(() => 0) : countLost();
  void done.then(
    (lost) => process.send!({ lost } satisfies IdleReport),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
