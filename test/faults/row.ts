/** The type of a row, and the callbacks that most rows send during a fault. */
import type { Receiver } from '../support/receiver.ts';
import type { AnswersProvider } from './answers-provider.ts';
import { compareBooks, type Books } from './books.ts';
import { deliverAll, makePending, type Delivered } from './load.ts';
import type { FaultsProvider } from './provider.ts';
import type { Service } from './service.ts';

export interface World {
  readonly service: Service;
  readonly provider: FaultsProvider;
  readonly answers: AnswersProvider;
  readonly receiver: Receiver;
  readonly isLong: boolean;
}

export interface RowResult {
  readonly figures: string;
  readonly problems: readonly string[];
  /** Why the row could not run on this machine. */
  readonly skipped?: string;
}

export interface Row {
  readonly name: string;
  /** Runs only with --long, because it takes long. */
  readonly onlyLong?: true;
  readonly run: (world: World) => Promise<RowResult>;
}

/** Sends callbacks for `count` payments while `harm` runs. */
export async function runUnderLoad(
  { service, receiver }: Pick<World, 'service' | 'receiver'>,
  count: number,
  harm: (isOver: () => boolean) => Promise<string>,
  perSecond?: number,
): Promise<RowResult> {
  const ids = await makePending(service, receiver.url, count);
  let isOver = false;
  const load = deliverAll(service.url, ids, perSecond).finally(() => (isOver = true));
  const [delivered, done] = await Promise.all([load, harm(() => isOver)]);
  const books = await compareBooks(service.connection, receiver, ids);
  return { figures: `${describeFigures(count, delivered, books)}${done && `; ${done}`}`, problems: books.problems };
}

function describeFigures(count: number, { seconds, tries, slowestMs }: Delivered, books: Books): string {
  const { lost, doubled, repeatedDeliveries, settledSeconds } = books;
  const rate = Math.round(count / seconds);
  return `${count} callbacks, ${tries} sent, ${rate}/s, slowest ${Math.round(slowestMs)} ms; all settled ${settledSeconds.toFixed(1)} s later; ${lost} lost, ${doubled} doubled, ${repeatedDeliveries} notifications repeated`;
}

export const isReady =
  ({ url }: Service) =>
  async (): Promise<boolean> =>
    fetch(`${url}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );

/** The process may have ended, or was killed before and is not replaced yet. */
export function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
