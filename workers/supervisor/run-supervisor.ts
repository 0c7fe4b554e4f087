/** The main process of `npm start`: the service as a program, stopped by signals, ended with an exit code. */
import { toProblems } from './start-error.ts';
import { startService, StoppedError, type ServiceOptions } from './service.ts';

/** A third signal after so long means: do not wait for a clean end. */
const patienceMs = 3000;
const patientSignals = 2;

/** Answers the exit code: 0 after a stop, 1 where it could not start or had to be killed. */
export async function runSupervisor(
  options: ServiceOptions & { readonly stderr: (line: string) => void },
): Promise<number> {
  const { print, stderr } = options;
  // Which MongoDB it is, is what `paywright mongod` starts; before the first lines of the others it is in the way.
  const service = startService({ ...options, ...(options.role !== 'mongod' && { report: stderr }) });
  let signals = 0;
  let firstAt = 0;
  let wasKilled = false;

  const ended = new Promise<void>((resolve) => {
    // npm passes on what the terminal has sent to the whole group already: two signals are one.
    const onSignal = (): void => {
      signals += 1;
      if (signals === 1) {
        firstAt = performance.now();
        print('Stopping: finishing what is under way.');
        void service.stop().then(resolve);
      } else if (signals > patientSignals && performance.now() - firstAt > patienceMs) {
        wasKilled = true;
        service.kill();
      }
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    // A terminal that is closed ends what runs in it; who manages services means the log by it.
    process.on('SIGHUP', () => (process.stdout.isTTY ? onSignal() : service.reopenLogs()));
  });

  try {
    await service.started;
  } catch (error) {
    if (error instanceof StoppedError) return 0;
    for (const problem of toProblems(error)) stderr(problem);
    return 1;
  }
  await ended;
  print('Stopped.');
  return wasKilled ? 1 : 0;
}
