/** What the operators' console shows and does: the same acts and questions as those of the commands. */
import type { Logger } from 'pino';
import { createAudit } from '../../core/audit/index.ts';
import { createLetters } from '../../core/callbacks/letters.ts';
import type { Rereading } from '../../core/callbacks/reread.ts';
import type { Gateway } from '../../core/gateway.ts';
import { createJobTable } from '../../core/jobs/index.ts';
import {
  createNotificationActs,
  createNotificationReads,
  createNotificationSearch,
} from '../../core/notifications/index.ts';
import type { OpsSetup } from '../../core/ops/index.ts';
import { createPaymentActs, createPaymentSearch, createStories } from '../../core/payments/index.ts';

export function consoleOf(gateway: Gateway, rereading: Pick<Rereading, 'read'>, log: Logger): OpsSetup['console'] {
  const { connection, access, alarms, httpDeps, payments } = gateway;
  const { encrypter, now } = httpDeps;
  const audit = createAudit({ connection, encrypter, now, log });
  const reads = createNotificationReads(connection);
  return {
    operators: access.operators,
    owners: access.owners,
    encrypter,
    alarms,
    audit,
    searchPayments: createPaymentSearch(connection),
    story: createStories({ connection, notificationsOf: async (id) => reads.forPayment(id) }),
    payments: createPaymentActs({ connection, audit, service: payments.service }),
    letters: createLetters({ connection, encrypter, audit, rereading, now }),
    searchNotifications: createNotificationSearch(connection),
    notifications: createNotificationActs({ connection, audit }),
    jobs: createJobTable({ connection, audit, now }),
  };
}
