/** Reads the bodies of callbacks: the bytes exactly as received, neither decoded nor decompressed. */
import type { IncomingMessage } from 'node:http';
import { GatewayError, invalidField } from '../../base/errors.ts';

/** After a body is refused, its sender may still send this many bytes before the connection is cut. */
const discardedBytes = 8 * 1024 * 1024;

/** Throws REQ001 for a body whose declared length is too large. */
export function checkDeclaredSize(request: IncomingMessage, limitBytes: number): void {
  if (Number(request.headers['content-length']) > limitBytes) throw tooLarge(request, limitBytes);
}

export function isCompressed(request: IncomingMessage): boolean {
  return !/^(identity)?$/i.test(request.headers['content-encoding'] ?? '');
}

/** Reads the whole body. Throws REQ001 above the limit, and VAL002 for `body` if the sender disconnects. */
export async function readRaw(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  checkDeclaredSize(request, limitBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > limitBytes) settle(() => reject(tooLarge(request, limitBytes)));
    };
    const end = (): void => settle(resolve);
    const lose = (): void => settle(() => reject(invalidField('body', null, 'did not arrive completely')));
    const settle = (how: () => void): void => {
      request.off('data', take).off('end', end);
      how();
    };
    // The listener stays: a request that is cut off after its refusal must not crash the process.
    request.on('error', lose);
    request.on('data', take).on('end', end);
  });
  return Buffer.concat(chunks, length);
}

/** Lets the sender finish, so that it reads our answer. What it sends is not stored. */
export function discardBody(request: IncomingMessage): void {
  let length = 0;
  request.on('error', () => {}); // The request was cut off, by us or by the sender. No work waits for it.
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > discardedBytes) request.destroy();
  });
  request.resume();
}

/** True for REQ001. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof GatewayError && error.kind === 'PAYLOAD_TOO_LARGE';
}

/** The error REQ001. */
export function tooLarge(request: IncomingMessage, limitBytes: number): GatewayError {
  discardBody(request);
  return new GatewayError('PAYLOAD_TOO_LARGE', `the body is larger than ${limitBytes} bytes`, {
    details: { limit: limitBytes },
  });
}
