/** The health of an owner's addresses in one mode, from their latest notifications. */
import type { Connection } from 'mongoose';
import {
  notificationModel,
  type AttemptRecord,
  type NotificationDocument,
} from '../../database/collections/notification.ts';
import { listEndpoints, type Endpoint } from './endpoint.ts';
import { newestFirst, type Scope } from './read.ts';

export interface EndpointHealth {
  /** Scheme, host and port. */
  readonly origin: string;
  /** An address of this origin: the default one, otherwise that of the latest notification. */
  readonly url: string;
  readonly state: 'unused' | 'working' | 'failing' | 'disabled';
  readonly failingSince: Date | null;
  readonly disabledAt: Date | null;
  readonly lastAttempt: AttemptRecord | null;
  /** The number of the latest notifications in each state. */
  readonly delivered: number;
  readonly waiting: number;
  readonly undelivered: number;
}

type Row = Pick<NotificationDocument, 'url' | 'state' | 'attempts'>;

/**
 * Returns the default address first, then those of the latest notifications, then others that fail. `latest`: the
 * number of notifications that are read, over all addresses.
 */
export async function readEndpointHealth(
  connection: Connection,
  { ownerId, environment }: Scope,
  defaultUrl: string | null,
  latest = 500,
): Promise<readonly EndpointHealth[]> {
  const [rows, listed] = await Promise.all([
    notificationModel(connection)
      .find({ ownerId, environment }, { url: 1, state: 1, attempts: 1 })
      .sort(newestFirst)
      .limit(latest)
      .lean<Row[]>(),
    listEndpoints(connection, ownerId),
  ]);
  const failing = new Map(
    listed.filter((one) => one.environment === environment).map((one) => [one.origin, one] as const),
  );
  const urls = new Map<string, string>();
  for (const url of [...(defaultUrl === null ? [] : [defaultUrl]), ...rows.map((row) => row.url), ...failing.keys()])
    if (URL.canParse(url) && !urls.has(new URL(url).origin)) urls.set(new URL(url).origin, url);
  return [...urls].map(([origin, url]) => {
    const own = rows.filter((row) => URL.canParse(row.url) && new URL(row.url).origin === origin);
    return { origin, url, ...toHealth(own, failing.get(origin)) };
  });
}

function toHealth(rows: readonly Row[], failing: Endpoint | undefined): Omit<EndpointHealth, 'origin' | 'url'> {
  const attempts = rows.flatMap((row) => row.attempts.slice(-1));
  const lastAttempt = attempts.reduce<AttemptRecord | null>(
    (last, one) => (last === null || one.at > last.at ? one : last),
    null,
  );
  const count = (...states: readonly NotificationDocument['state'][]): number =>
    rows.filter(({ state }) => states.includes(state)).length;
  const works = lastAttempt === null ? 'unused' : 'working';
  return {
    state: failing ? (failing.disabledAt ? 'disabled' : 'failing') : works,
    failingSince: failing?.failingSince ?? null,
    disabledAt: failing?.disabledAt ?? null,
    lastAttempt,
    delivered: count('delivered'),
    waiting: count('waiting'),
    undelivered: count('exhausted', 'gone'),
  };
}
