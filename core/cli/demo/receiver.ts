/** The receiver of the demo: receives notifications and verifies both signatures, as a merchant would. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hmac, isFresh, readHex, sameBytes } from '@paywright/contract';

export interface Received {
  readonly paymentRequestId: number;
  readonly type: string;
  readonly sequence: number;
  readonly at: number;
  readonly isVerified: boolean;
}

export interface DemoReceiver {
  readonly url: string;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

export async function startReceiver(
  secret: () => string,
  onReceived: (received: Received) => void,
): Promise<DemoReceiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const header = (name: string): string => String(request.headers[name] ?? '');
      const isVerified = isBodySigned(secret(), body, header) && isStandardSigned(secret(), body, header);
      response.writeHead(isVerified ? 204 : 401).end();
      const { type, sequence, data } = JSON.parse(body.toString('utf8')) as {
        type: string;
        sequence: number;
        data: { paymentRequest: { id: number } };
      };
      const one = { paymentRequestId: data.paymentRequest.id, type, sequence, at: Date.now(), isVerified };
      received.push(one);
      onReceived(one);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notifications`,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

type Header = (name: string) => string;

/** `X-Webhook-Signature`: HMAC-SHA512 over the body with the whole secret. */
function isBodySigned(secret: string, body: Buffer, header: Header): boolean {
  const given = readHex(header('x-webhook-signature'), 64);
  return given !== undefined && sameBytes(given, hmac('sha512', secret, body));
}

/** Standard Webhooks: HMAC-SHA256 over id, time and body with the decoded secret. */
function isStandardSigned(secret: string, body: Buffer, header: Header): boolean {
  const time = header('webhook-timestamp');
  if (!isFresh(Number(time) * 1000, new Date(), 300_000)) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const wanted = hmac('sha256', key, `${header('webhook-id')}.${time}.`, body);
  return header('webhook-signature')
    .split(' ')
    .some((part) => part.startsWith('v1,') && sameBytes(Buffer.from(part.slice(3), 'base64'), wanted));
}
