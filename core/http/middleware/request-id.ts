import { randomUUID } from 'node:crypto';
import type { Step } from '../state.ts';

const sane = /^[A-Za-z0-9._-]{1,128}$/;

/** Every answer carries `X-Request-Id`: the client's own when it is 1–128 characters of `A–Z a–z 0–9 . _ -`. */
export const requestId: Step = async (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = sane.test(given) ? given : randomUUID();
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};
