/** Sets `ctx.ip` to the client's address in its canonical spelling, for every limit, rule and provider. */
import { readIpAddress } from '@paywright/contract';
import type { Step } from '../state.ts';

/**
 * Koa returns the entry of `X-Forwarded-For` as the trusted proxies wrote it. Some write a port, `unknown` or a hidden
 * name (RFC 7239). An entry that is not an address counts as the next proxy's own address, in the end the socket's.
 */
export const clientAddress: Step = (ctx, next) => {
  const entries = [...ctx.ips, ctx.socket.remoteAddress];
  ctx.request.ip = entries.map(readIpAddress).find((address) => address !== undefined) ?? '';
  return next();
};
