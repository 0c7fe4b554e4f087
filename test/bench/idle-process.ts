/** Connections that are kept open and hardly used, in a process of their own. */
import { openWire, request, type Wire } from './wire.ts';

export interface Idle {
  readonly port: number;
  readonly connections: number;
}

export interface IdleReport {
  /** Connections that the server closed. */
  readonly lost: number;
}

/** Each is used so seldom; the server closes one that is idle for longer than 65 s. */
const usedEveryMs = 40_000;
const message = request('GET', '/health', {});
const wires: Wire[] = [];
let timer: NodeJS.Timeout | undefined;
/** Every use so far, one after another. */
let used: Promise<unknown> = Promise.resolve();

async function open({ port, connections }: Idle): Promise<void> {
  for (let made = 0; made < connections; made += 1) {
    const wire = await openWire(port);
    const { status } = await wire.send(message);
    if (status !== 200) throw new Error(`GET /health was answered ${status}`);
    wires.push(wire);
  }
  let next = 0;
  timer = setInterval(() => {
    const wire = wires[next % connections]!;
    next += 1;
    // One that is lost is counted at the end.
    used = used.then(async () => wire.send(message)).catch(() => undefined);
  }, usedEveryMs / connections);
}

/** Uses each once more. */
async function countLost(): Promise<number> {
  clearInterval(timer);
  await used;
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
