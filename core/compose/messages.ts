/** What leaves the gateway in words of its own: notifications' bytes and letters. */
import { stringifyExact } from '@gateway/contract';
import type { Mailer } from '../mail.ts';
import type { NotificationType, PaymentRecord } from '../payments/facts.ts';
import { describeAmount } from '../payments/read/present.ts';
import type { PaymentRequestView } from '../payments/service.ts';

/** The version that notifications and answers are written in. */
export const apiVersion = '2.1';

/** The bytes of a notification, the same on every attempt. */
export function freeze(view: PaymentRequestView, type: NotificationType, sequence: number, at: Date): string {
  const body = {
    id: `${view.id}-${sequence}`,
    type,
    apiVersion,
    createdAt: at.toISOString(),
    sequence,
    data: { paymentRequest: view },
  };
  return stringifyExact(body);
}

/** Mails the payment's link to its client; undefined: there is no mail server. */
export function createLinkMail(
  mailer: Mailer | undefined,
  present: (record: PaymentRecord) => Promise<PaymentRequestView>,
): ((record: PaymentRecord, to: string) => Promise<void>) | undefined {
  return (
    mailer &&
    (async (record, to) => {
      const { link, client } = (await present(record)) as unknown as { link: string; client: { ownerName: string } };
      const text = `${client.ownerName} asks you to pay ${describeAmount(record)}.\n\n${link}\n`;
      await mailer.send({ to, subject: `Payment request of ${client.ownerName}`, text });
    })
  );
}

/** Tells a merchant by mail that its version is past its support. */
export async function mailVersion(
  mailer: Mailer | undefined,
  { name, email }: { readonly name: string; readonly email: string | null },
  data: Readonly<Record<string, string>>,
): Promise<void> {
  const text = `${name} still calls API version ${data['version']}, whose support ended on ${data['supportEnded']}.`;
  await mailer?.send({
    to: email ?? '',
    subject: 'Your API version is past its support',
    text: `${text}\n${data['documentation']}\n`,
  });
}
