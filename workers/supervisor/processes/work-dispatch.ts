/** Sends new work to the workers of this host, in turn, or wakes another host if no worker here can start it. */
import type { Work } from '../../../core/engine/jobs/index.ts';
import type { SupervisedProcess } from './supervise-process.ts';

export interface WorkDispatchDeps {
  readonly workers: readonly SupervisedProcess[];
  /** False while this host is fenced or stops: its workers start no work. */
  readonly canWork: () => boolean;
  readonly wakeElsewhere: (work: Work) => void;
}

export interface WorkDispatch {
  /** `from`: the process that reports the work. */
  notifyWorkers(work: readonly Work[], from?: SupervisedProcess): void;
  /** The next of these processes in turn. Undefined: none is up. */
  nextOf(processes: readonly SupervisedProcess[]): SupervisedProcess | undefined;
}

export function createWorkDispatch({ workers, canWork, wakeElsewhere }: WorkDispatchDeps): WorkDispatch {
  let turn = 0;

  function nextOf(processes: readonly SupervisedProcess[]): SupervisedProcess | undefined {
    const candidates = candidatesOf(processes);
    turn += 1;
    return candidates[turn % candidates.length];
  }

  return {
    nextOf,
    /**
     * One worker drains callbacks, because it finds larger batches than two workers would. It does so until it asks for
     * help: work that a worker reports goes to another worker if there is one. If no worker is up on any host, no work
     * is lost: the next worker checks for all work when it comes up, and so do the workers of a host that is no longer
     * fenced.
     */
    notifyWorkers(work, from) {
      const others = workers.filter((worker) => worker !== from);
      const candidates = !canWork() ? [] : others.some(({ isUp }) => isUp) ? others : workers;
      for (const one of work) {
        const worker = one === 'callbacks' || one === 'pings' ? candidatesOf(candidates)[0] : nextOf(candidates);
        if (worker) worker.send({ type: 'work', work: [one] });
        else wakeElsewhere(one);
      }
    },
  };
}

/** The processes that respond. If none responds: those that are up. */
function candidatesOf(processes: readonly SupervisedProcess[]): readonly SupervisedProcess[] {
  const up = processes.filter(({ isUp }) => isUp);
  const responsive = up.filter(isServing);
  return responsive.length > 0 ? responsive : up;
}

export function isServing({ status }: SupervisedProcess): boolean {
  return status.state === 'up';
}
