/** Waits for the answer of a receiver to a test event. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { notificationModel, type AttemptRecord } from '../../database/collections/notification.ts';

const pollMs = 200;

/** The first attempt of the event. Undefined: no worker made one within the time. */
export async function awaitTestAnswer(
  connection: Connection,
  id: string,
  limitMs: number,
): Promise<AttemptRecord | undefined> {
  const model = notificationModel(connection);
  for (const end = Date.now() + limitMs; ;) {
    const attempt = (await model.findById(id, { attempts: 1 }).lean())?.attempts.at(-1);
    if (attempt || Date.now() >= end) return attempt;
    await delay(pollMs);
  }
}
