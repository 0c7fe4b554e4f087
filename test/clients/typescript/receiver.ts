/** Receives notifications and checks their signatures. */
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { components } from './paywright.js';

type Notification = components['schemas']['PaymentNotification'] | components['schemas']['RefundNotification'];

const webhook = new Webhook(process.env['WEBHOOK_SECRET']!);

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  try {
    webhook.verify(body, request.headers as Record<string, string>);
  } catch {
    response.writeHead(401).end();
    return;
  }
  handle(JSON.parse(body) as Notification);
  response.writeHead(204).end();
}).listen(Number(process.env['PORT']), '127.0.0.1');

/** Store the message here, and work after the answer. */
function handle({ type, data }: Notification): void {
  if (type.startsWith('payment.')) console.log(type, data.paymentRequest.id);
}
