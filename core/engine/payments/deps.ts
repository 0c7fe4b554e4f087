/** What the payments domain is built from. */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Owners, RateLimiter } from '../access/index.ts';
import type { Clear, Raise } from '../alarms/index.ts';
import type { Notifications } from '../notifications/index.ts';
import type { ProviderCalls } from '../providers/calls.ts';
import type { Registry } from '../providers/registry.ts';
import type { BackgroundTasks } from '../../base/async/background-tasks.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { Mailer } from '../../base/net/mail.ts';
import type { PaymentsConfig } from './config.ts';

export interface PaymentsDeps {
  readonly connection: Connection;
  readonly registry: Registry;
  readonly calls: ProviderCalls;
  readonly owners: Pick<Owners, 'get'>;
  readonly rateLimiter: Pick<RateLimiter, 'takeMail'>;
  readonly notifications: Pick<Notifications, 'insert' | 'insertWith' | 'forPayment' | 'refusalOf'>;
  readonly encrypter: Encrypter;
  readonly mailer: Mailer | undefined;
  readonly backgroundTasks: BackgroundTasks;
  readonly notifyWorkers: (work: 'reconcile' | 'notifications') => void;
  /** Names this process in leases. */
  readonly worker: string;
  readonly config: PaymentsConfig;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly clear: Clear;
  readonly metrics: Metrics;
  readonly log: Logger;
}
