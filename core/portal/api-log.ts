/** The log of a merchant's API calls, without contents. It is kept for some days. */
import { mongo, type Connection, type QueryFilter } from 'mongoose';
import { createMinuteCounts } from '../engine/access/index.ts';
import type { BackgroundTasks } from '../base/async/background-tasks.ts';
import { apiCallModel, type ApiCallDocument } from '../database/collections/api-call.ts';
import { createInsertBatcher } from '../database/insert-batcher.ts';
import type { Environment } from '../base/environment.ts';
import { invalidField } from '../base/errors.ts';
import type { Metrics } from '../base/metrics/index.ts';
import { DAY } from '../base/async/time.ts';

/** The owner and mode of a call. */
interface Scope {
  readonly ownerId: number;
  readonly environment: Environment;
}

export type ApiCall = Omit<ApiCallDocument, keyof Scope | 'expireAt'>;

export interface ApiLog {
  /** The caller does not wait for the write. A failure loses one line of the log. */
  keep(whose: Scope, call: ApiCall): void;
  /** The newest calls first. Throws VAL002 for a cursor that is not ours. */
  list(
    query: Scope & { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<{ readonly items: readonly ApiCall[]; readonly nextCursor: string | null }>;
}

/** Per owner, process and minute: this many successful calls are kept, and as many refused calls. */
const keptPerMinute = 100;

type Stored = ApiCallDocument & { readonly _id: mongo.ObjectId };

export function createApiLog({
  connection,
  keepDays,
  backgroundTasks,
  metrics,
  now,
}: {
  readonly connection: Connection;
  readonly keepDays: number;
  readonly backgroundTasks: BackgroundTasks;
  readonly metrics: Pick<Metrics, 'depthOf'>;
  readonly now: () => Date;
}): ApiLog {
  const model = apiCallModel(connection);
  const isKept = createMinuteCounts(now);
  // As for the log of provider calls: writes may wait longer than requests do, and need no majority.
  const onWaiting = metrics.depthOf('API calls');
  const insert = createInsertBatcher(model, { everyMs: 100, writeConcern: { w: 1 }, onWaiting });

  return {
    keep({ ownerId, environment }, call) {
      const kind = call.status < 400 ? 'answered' : 'refused';
      if (!isKept(kind, keptPerMinute, `${ownerId} ${environment}`)) return;
      const expireAt = new Date(call.at.getTime() + keepDays * DAY);
      backgroundTasks.track('an API call could not be stored', insert({ ownerId, environment, ...call, expireAt }));
    },

    async list({ ownerId, environment, limit, cursor }) {
      const rows = await model
        .find({ ownerId, environment, ...(cursor !== undefined && after(cursor)) })
        .sort({ at: -1, _id: -1 })
        .limit(limit + 1)
        .lean<Stored[]>();
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items: items.map(present), nextCursor: rows.length > limit && last ? cursorOf(last) : null };
    },
  };
}

function cursorOf({ at, _id }: Stored): string {
  return `${at.getTime()}.${_id.toHexString()}`;
}

function after(cursor: string): QueryFilter<ApiCallDocument> {
  const [, time = '', id = ''] = /^(\d{1,15})\.([0-9a-f]{24})$/.exec(cursor) ?? [];
  if (id === '') throw invalidField('cursor', cursor, 'must be the cursor of an earlier page');
  const at = new Date(Number(time));
  const sameTime: QueryFilter<Stored> = { at, _id: { $lt: mongo.ObjectId.createFromHexString(id) } };
  return { at: { $lte: at }, $or: [{ at: { $lt: at } }, sameTime] };
}

function present({ at, method, path, status, code, ms, keyId, requestId }: Stored): ApiCall {
  return { at, method, path, status, ...(code !== undefined && { code }), ms, keyId, requestId };
}
