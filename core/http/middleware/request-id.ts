import { randomUUID } from 'node:crypto';
import type { Step } from '../state.ts';

const sane = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Sets `X-Request-Id` on every answer: the client's own id if it is 1–128 characters of `A–Z a–z 0–9 . _ -`, else a new
 * one.
 */
export const requestId: Step = async (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = sane.test(given) ? given : randomUUID();
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
};
