/** What signs a ping. */
import { hmac } from '@paywright/contract';

export interface SignedPing {
  /** The id in the query; undefined where the body alone has it. */
  readonly id: string | undefined;
  /** Value of `X-F-Request`; undefined where that header is missing. */
  readonly request: string | undefined;
  /** Milliseconds, as sent. */
  readonly ts: string;
}

/** HMAC-SHA256 over the parts that are there. */
export function pingMac(secret: string, { id, request, ts }: SignedPing): Buffer {
  const parts = [...(id === undefined ? [] : [`id:${id};`]), ...(request === undefined ? [] : [`rid:${request};`])];
  return hmac('sha256', secret, ...parts, `ts:${ts};`);
}
