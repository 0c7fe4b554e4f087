/** The main process of `npm start`: runs the service as a program that stops on signals and returns an exit code. */
import { limitHeapGrowth } from './processes/heap.ts';
import { toProblems } from './start-error.ts';
import { startService, StoppedError } from './service.ts';
import type { ServiceOptions } from './service-options.ts';

/** A third signal, this long after the first, means: do not wait for a clean stop. */
const patienceMs = 3000;
const patientSignals = 2;

/** Returns the exit code: 0 after a stop, 1 if the service could not start or had to be killed. */
export async function runSupervisor(
  options: ServiceOptions & { readonly stderr: (line: string) => void },
): Promise<number> {
  const { print, stderr } = options;
  // Which MongoDB is used is the main output of `paywright mongod`. For the other roles it would hide the first lines.
  const service = startService({ ...options, ...(options.role !== 'mongod' && { report: stderr }) });
  let signals = 0;
  let firstAt = 0;
  let wasKilled = false;

  const ended = new Promise<void>((resolve) => {
    // npm forwards a signal that the terminal has already sent to the whole group, so two signals count as one.
    const onSignal = (): void => {
      signals += 1;
      if (signals === 1) {
        firstAt = performance.now();
        print('Stopping: finishing work in progress.');
        void service.stop().then(resolve);
      } else if (signals > patientSignals && performance.now() - firstAt > patienceMs) {
        wasKilled = true;
        service.kill();
      }
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    // A closed terminal stops the service. Without a terminal, service managers send SIGHUP to reopen the log.
    process.on('SIGHUP', () => (process.stdout.isTTY ? onSignal() : service.reopenLogs()));
  });

  try {
    await service.started;
    await limitHeapGrowth();
  } catch (error) {
    if (error instanceof StoppedError) return 0;
    for (const problem of toProblems(error)) stderr(problem);
    return 1;
  }
  await ended;
  print('Stopped.');
  return wasKilled ? 1 : 0;
}
