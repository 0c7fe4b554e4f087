/** Rotates the webhook secret, and sends a time span of notifications again, while others are created. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../core/base/testing/until.ts';
import { bodySignature } from '../../core/base/crypto/webhook-signature.ts';
import type { Received } from '../support/receiver.ts';
import { call, deliverAll, makePending } from './load.ts';
import { runUnderLoad, type Row } from './row.ts';

/** Every process signs with the new secret 5 s after a rotation. */
const knownAfterMs = 6000;

export const rotation: Row = {
  name: 'a rotated webhook secret, and a resend of a time span, under load',
  async run(world) {
    const { service, receiver, isLong } = world;
    const count = isLong ? 2000 : 100;
    const duringRotation = isLong ? 2000 : 300;
    const from = new Date().toISOString();
    const earlier = await makePending(service, receiver.url, count);
    await deliverAll(service.url, earlier);
    const notifications = service.connection.collection('notifications');
    const delivered = { paymentRequestId: { $in: earlier }, state: 'delivered' };
    await until(
      'the earlier ones are delivered',
      async () => (await notifications.countDocuments(delivered)) === count,
      120_000,
    );
    // Simulates ten failed attempts, which would take three days.
    await notifications.updateMany(delivered, { $set: { state: 'exhausted' } });
    const first = new Map(receiver.received.map(({ json, body }) => [json.id as string, body]));
    const before = receiver.received.length;

    const secrets = { old: service.webhookSecret, current: '' };
    let rotatedAt = 0;
    let resent: unknown;
    const result = await runUnderLoad(
      world,
      duringRotation,
      async () => {
        await sleep(1000);
        const rotated = await service.command('secrets', 'rotate', 'Shop', '--env', 'sandbox', '--json');
        secrets.current = (JSON.parse(rotated) as { readonly webhookSecret: string }).webhookSecret;
        rotatedAt = receiver.received.length;
        await sleep(knownAfterMs);
        ({ resent } = (await call(service, '/notifications/resend', JSON.stringify({ from }))).json);
        return `${String(resent)} sent again`;
      },
      isLong ? 100 : 30,
    );
    const findRepeated = (): Received[] =>
      receiver.received.slice(before).filter(({ json }) => first.has(json.id as string));
    await until(
      'all were delivered again',
      () => new Set(findRepeated().map(({ json }) => json.id)).size >= count,
      120_000,
    );

    const problems = [...result.problems];
    if (resent !== count) problems.push(`${String(resent)} of ${count} were sent again`);
    const changed = findRepeated().filter(({ json, body }) => first.get(json.id as string) !== body).length;
    if (changed) problems.push(`${changed} were sent again with different bytes`);
    const received = receiver.received.slice(before);
    const refusedBy = (secret: string, some: readonly Received[]): number =>
      some.filter((one) => !isSigned(one, secret)).length;
    // The old secret stays valid for a day, so a merchant who has only the old one refuses nothing.
    const [byOld, byNew] = [refusedBy(secrets.old, received), refusedBy(secrets.current, findRepeated())];
    if (byOld) problems.push(`${byOld} of ${received.length} are not signed by the old secret`);
    if (byNew) problems.push(`${byNew} of those sent after the rotation are not signed by the new secret`);
    return { figures: `${result.figures}; ${rotatedAt - before} arrived before the rotation`, problems };
  },
};

function isSigned({ headers, body }: Received, secret: string): boolean {
  const signature = bodySignature(secret, Buffer.from(body));
  return headers['x-webhook-signature'] === signature || headers['x-webhook-signature-previous'] === signature;
}
