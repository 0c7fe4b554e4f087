/** Sends one claimed notification: signs it, makes one attempt, and writes the result while the lease holds. */
import { mongo } from 'mongoose';
import type { Logger } from 'pino';
import { ownerSubject, type Raise } from '../alarms/index.ts';
import { signatureHeaders, type WebhookSecrets } from '../../base/crypto/webhook-signature.ts';
import type { Environment } from '../../base/environment.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { traceForMerchant, withSpan, type SpanPlan } from '../../base/traces/index.ts';
import { answerText } from '../../base/text/answer-text.ts';
import { hostOf, type AttemptRecord } from '../../database/collections/notification.ts';
import type { Connections } from './connections.ts';
import { deliver, type Delivery } from './deliver.ts';
import type { EndAttempt } from './delivery-limits.ts';
import type { ClaimedNotification, DeliveryQueue, Verdict } from './delivery-queue.ts';
import { disabledError } from './enable-endpoint.ts';
import type { Endpoints } from './endpoints.ts';
import type { TargetGuard } from './target-guard.ts';
import { judgeDelivery } from './judge-delivery.ts';
import type { Schedule } from './schedule.ts';
import { writeResult } from './write-result.ts';

export interface SenderDeps {
  readonly queue: Pick<DeliveryQueue, 'settle'>;
  readonly guard: TargetGuard;
  readonly connections: Connections;
  readonly endpoints: Pick<Endpoints, 'isDisabled' | 'recordResult'>;
  readonly schedule: Schedule;
  readonly timeoutMs: number;
  /** The owner's valid webhook secrets, read at every attempt. */
  readonly secrets: (ownerId: number, environment: Environment) => Promise<WebhookSecrets>;
  readonly now: () => Date;
  readonly random: () => number;
  readonly raise: Raise;
  readonly metrics: Pick<Metrics, 'firstAttemptLagSeconds'>;
  readonly log: Logger;
}

export interface SendOptions {
  /** When the row was claimed, by the clock of `performance`: the lease runs from then. */
  readonly claimedAt: number;
  /** Cuts the attempt off. */
  readonly signal: AbortSignal;
  /** Ends the attempt in the delivery limits. Called as soon as the receiver has answered. */
  readonly end: EndAttempt;
}

/**
 * The result of sending one notification:
 *
 * - `delivered`, `failed`, `gone`: the receiver's answer, or its absence;
 * - `exhausted`: that was the last attempt;
 * - `disabled`: the endpoint is disabled, so nothing was sent, and the notification is kept as exhausted;
 * - `cut`: the signal ended the attempt, and the notification is due again immediately;
 * - `unsigned`: there was no secret to sign with; it is due again soon, and no attempt was used up;
 * - `lost`: the result was not written, because another worker holds the row by now or the database was unreachable.
 */
export type SendOutcome = 'delivered' | 'failed' | 'exhausted' | 'gone' | 'disabled' | 'cut' | 'unsigned' | 'lost';

export type SendNotification = (row: ClaimedNotification, options: SendOptions) => Promise<SendOutcome>;

/** How much longer a lease is than an attempt: to read the secrets before it, and write the result after it. */
export const leaseMarginMs = 15_000;

/** Delay after a secret could not be used. An operator must fix that. */
const unsignedDelayMs = 60_000;
/** Delay after the database did not answer for a secret. It recovers without an operator. */
const unreadDelayMs = 1000;

/** A row whose worker died this often while sending it is exhausted: the row may be what kills its workers. */
const maxExpiries = 5;

export function createSender(deps: SenderDeps): SendNotification {
  const { queue, guard, connections, endpoints, schedule, timeoutMs, now, random, raise, metrics, log } = deps;

  /** The attempt ends as soon as its receiver has answered: the next one need not wait until the result is written. */
  return async function sendNotification(row, { claimedAt, signal, end }) {
    const { tries } = row;
    const until = claimedAt + timeoutMs + leaseMarginMs;
    const settle = async (verdict: Verdict, record?: AttemptRecord): Promise<boolean> => {
      const written = await writeResult(async () => queue.settle(row, verdict, record), { until, signal });
      const owner = ownerSubject(row.ownerId, row.environment);
      if (written && verdict.state === 'exhausted' && !verdict.isSilent)
        raise('notifications_exhausted', owner, reasonOf(row, record), describeRow(row));
      return written;
    };

    if (row.expiries > maxExpiries) {
      log.error(describeRow(row), 'notification exhausted: its workers died');
      return (await settle({ state: 'exhausted', tries })) ? 'exhausted' : 'lost';
    }
    const at = now();
    if (await endpoints.isDisabled(row)) {
      const record = { at, ms: 0, status: null, error: disabledError };
      return (await settle({ state: 'exhausted', tries, isSilent: true }, record)) ? 'disabled' : 'lost';
    }
    const headers = await sign(row, at);
    if ('delayMs' in headers) {
      return (await settle({ state: 'waiting', tries, ...headers })) ? 'unsigned' : 'lost';
    }
    observeLag(row, at);
    const delivery = await attempt(row, headers, claimedAt, signal);
    if (!delivery) {
      log.warn(describeRow(row), 'notification not sent: this process was suspended for longer than its lease allows');
      return 'lost';
    }
    endAttempt(delivery, end);
    const verdict = judgeDelivery(delivery, { tries, schedule, now: now(), random: random() });
    const { outcome, status, ms, code, error, answer } = delivery;
    const record = { at, ms, status, ...(code ? { code } : {}), error, ...(answer !== undefined && { answer }) };
    const written = await settle(verdict, record);
    if (outcome !== 'cut') {
      await endpoints
        .recordResult(row, outcome === 'delivered' ? 'delivered' : 'failed', at)
        .catch((cause: unknown) =>
          log.warn({ ...describeRow(row), err: cause }, 'the state of an endpoint could not be written'),
        );
    }
    const result = verdict.state === 'waiting' ? (outcome === 'cut' ? 'cut' : 'failed') : verdict.state;
    const line = { ...describeRow(row), attempt: tries + 1, outcome: result, status, ms, ...(error ? { error } : {}) };
    if (result === 'delivered') log.info(line, 'notification delivered');
    else log.warn(line, 'notification not delivered');
    return written ? result : 'lost';
  };

  /**
   * Headers, or a delay if the secret is unavailable: that is our fault and uses up none of the receiver's attempts.
   */
  async function sign(row: ClaimedNotification, at: Date): Promise<Record<string, string> | { delayMs: number }> {
    try {
      const { id, ownerId, environment, body } = row;
      const secrets = await deps.secrets(ownerId, environment);
      return { 'X-Webhook-Mode': environment, ...signatureHeaders({ id, body: Buffer.from(body), at }, secrets) };
    } catch (error) {
      if (error instanceof mongo.MongoError) {
        log.warn({ ...describeRow(row), err: error }, 'the database did not answer for the secret of a notification');
        return { delayMs: unreadDelayMs };
      }
      const { message } = error as Error;
      raise('notification_unsigned', ownerSubject(row.ownerId, row.environment), message, describeRow(row));
      return { delayMs: unsignedDelayMs };
    }
  }

  /** Only the very first attempt counts, from the creation of the notification. */
  function observeLag({ tries, round, expiries, createdAt, environment }: ClaimedNotification, at: Date): void {
    if (tries > 0 || round !== 1 || expiries > 0) return;
    const lagMs = Math.max(at.getTime() - createdAt.getTime(), 0);
    metrics.firstAttemptLagSeconds.observe({ mode: environment }, lagMs / 1000);
  }

  async function attempt(
    row: ClaimedNotification,
    headers: Readonly<Record<string, string>>,
    claimedAt: number,
    signal: AbortSignal,
  ): Promise<Delivery | undefined> {
    // A process that was suspended for so long may lose the row to another worker in the middle of the attempt.
    if (performance.now() - claimedAt > leaseMarginMs) return undefined;
    const plan = (): SpanPlan => ({
      kind: 'client',
      parent: row.trace,
      attributes: {
        'gateway.notification_type': row.type,
        'gateway.payment_request_id': row.paymentRequestId ?? undefined,
        'gateway.mode': row.environment,
        'gateway.attempt': row.tries + 1,
      },
    });
    return withSpan('deliver notification', plan, async (span) => {
      const delivery = await deliver({
        url: row.url,
        headers: { ...headers, ...traceForMerchant(span) },
        body: Buffer.from(row.body),
        timeoutMs,
        guard,
        connections,
        signal,
      });
      const { outcome, status } = delivery;
      span.set({ 'gateway.outcome': outcome, 'http.response.status_code': status ?? undefined });
      if (outcome !== 'delivered') span.fail();
      return delivery;
    });
  }
}

/** An attempt that was cut off, or not made because of its address, says nothing about the receiver. */
function endAttempt({ outcome, status, ms, timedOut, code }: Delivery, end: EndAttempt): void {
  if (outcome === 'cut' || (status === null && !code)) return;
  const isFailing = status === 429 || (status ?? 0) >= 500;
  end(status === null ? 'unreachable' : 'answered', { ms, timedOut, isFailing });
}

/** Log keys that identify a notification. They name the host only, never the URL. */
export function describeRow({ id, requestId, paymentRequestId, ownerId, receiver }: ClaimedNotification) {
  return { notificationId: id, requestId, paymentRequestId, ownerId, host: hostOf(receiver) };
}

/** The receiver, and how it answered the last attempt: what its merchant must know. */
function reasonOf({ receiver }: ClaimedNotification, last: AttemptRecord | undefined): string {
  const host = `to ${hostOf(receiver)}`;
  return last ? `${host}: ${answerText({ ...last, ms: null })}` : host;
}
