/** Lists notifications, and sends them again. */
import { Router } from '@koa/router';
import { acknowledge, answerJson, send } from '../answer.ts';
import type { HttpDeps } from '../deps.ts';
import { toCaller } from '../middleware/idempotency.ts';
import type { Idempotent } from '../middleware/idempotency.ts';
import type { MerchantGate } from '../middleware/merchant.ts';
import { createStream } from './stream.ts';
import { readNotificationQuery, readResendSpan, resendQuery } from './schema.ts';
import { readOptionalBody } from '../input/read-body.ts';
import type { RequestState } from '../state.ts';

export function notificationRoutes(
  notifications: NonNullable<HttpDeps['notifications']>,
  deps: HttpDeps,
  { reading, writing }: MerchantGate,
  idempotent: Idempotent,
): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });

  router.get('/notifications', ...reading('requests:read'), async (ctx) => {
    const { ownerId, environment } = toCaller(ctx);
    const query = readNotificationQuery(ctx.query);
    send(ctx, answerJson(await notifications.list({ ownerId, environment, ...query })));
  });

  router.get('/notifications/stream', ...reading('requests:read'), createStream(notifications, deps));

  router.post(
    '/notifications/resend',
    ...writing('notifications:write'),
    idempotent(
      async (ctx, { ownerId, environment }) => {
        const span = readResendSpan(readOptionalBody(ctx) ?? {}, ctx.query, deps.now());
        return acknowledge({ resent: await notifications.resendSpan({ ownerId, environment, ...span }) });
      },
      { parameters: resendQuery },
    ),
  );

  router.post(
    '/notifications/:notification/resend',
    ...writing('notifications:write'),
    idempotent(async (ctx, { ownerId, environment }) => {
      readOptionalBody(ctx);
      const id = ctx.params['notification'] ?? '';
      return acknowledge(
        { notification: await notifications.resend({ ownerId, environment, id }) },
        ctx.state.warnings,
      );
    }),
  );

  return router;
}
