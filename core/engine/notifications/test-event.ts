/** The event with which an operator or a merchant tests a receiver. It is about no payment. */
import type { NotificationDocument } from '../../database/collections/notification.ts';
import type { Environment } from '../../base/environment.ts';
import { apiVersion } from './body.ts';
import { testType } from './endpoint.ts';
import { toRow, type NewNotification } from './new-notification.ts';

/** The row to store. It is due immediately. */
export function toDueRow(event: NewNotification): NotificationDocument {
  return { ...toRow(event), dueAt: event.createdAt };
}

export function toTestEvent(ownerId: number, environment: Environment, url: string, at: Date): NewNotification {
  const id = `${ownerId}-test-${at.getTime()}`;
  const data = { message: 'Your receiver is asked whether it works.' };
  const body = JSON.stringify({ id, type: testType, mode: environment, apiVersion, createdAt: at, sequence: 1, data });
  const about = { ownerId, environment, paymentRequestId: null, sequence: null } as const;
  return { id, ...about, type: testType, url, body, createdAt: at, requestId: id };
}
