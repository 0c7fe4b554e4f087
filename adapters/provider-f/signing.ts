/** The signature of a ping. */
import { hmac } from '@paywright/contract';

export interface SignedPing {
  /** The id in the query; undefined if only the body has it. */
  readonly id: string | undefined;
  /** The value of `X-F-Request`; undefined if that header is missing. */
  readonly request: string | undefined;
  /** Milliseconds, as sent. */
  readonly ts: string;
}

/** HMAC-SHA256 over the parts that are present. */
export function pingMac(secret: string, { id, request, ts }: SignedPing): Buffer {
  const parts = [...(id === undefined ? [] : [`id:${id};`]), ...(request === undefined ? [] : [`rid:${request};`])];
  return hmac('sha256', secret, ...parts, `ts:${ts};`);
}
