/** Resends many notifications. This takes a while, so it runs in the background and its page shows the progress. */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Actor } from '../../engine/audit/index.ts';
import type { NotificationActions, ResendFilter } from '../../engine/notifications/index.ts';

export interface Resend {
  readonly startedAt: Date;
  readonly total: number;
  readonly resent: number;
  readonly state: 'in_progress' | 'done' | 'failed';
}

/** The resends that this host's listener started. The audit log keeps the result of each. */
export interface Resends {
  /** Returns the id of the resend. */
  start(by: Actor, filter: ResendFilter): Promise<string>;
  get(id: string): Resend | undefined;
}

const keptResends = 50;

export function createResends({
  notifications,
  now,
  log,
}: {
  readonly notifications: Pick<NotificationActions, 'count' | 'resendAll'>;
  readonly now: () => Date;
  readonly log: Pick<Logger, 'error'>;
}): Resends {
  const resends = new LRUCache<string, Resend>({ max: keptResends });

  return {
    async start(by, filter) {
      const id = randomUUID();
      const started = { startedAt: now(), total: await notifications.count(filter), resent: 0 };
      const set = (members: Partial<Resend>): void => {
        resends.set(id, { ...started, state: 'in_progress', ...resends.get(id), ...members });
      };
      set({});
      notifications
        .resendAll(by, filter, (resent) => set({ resent }))
        .then(
          (resent) => set({ resent, state: 'done' }),
          (error: unknown) => {
            log.error({ err: error }, 'notifications could not be resent');
            set({ state: 'failed' });
          },
        );
      return id;
    },
    get: (id) => resends.get(id),
  };
}
