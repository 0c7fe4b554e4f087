import type { PaymentRecord } from '../documents/payment-request.ts';
import type { Mailer } from '../mail.ts';
import { describeAmount } from './read/present.ts';
import type { Views } from './read/view.ts';

/** Mails a payment's link to its client. */
export type LinkMail = (record: PaymentRecord, to: string) => Promise<void>;

/** Undefined: there is no mail server. */
export function createLinkMail(mailer: Mailer | undefined, views: Views): LinkMail | undefined {
  if (!mailer) return undefined;
  return async (record, to) => {
    const { link, client } = (await views.present(record)) as unknown as {
      link: string;
      client: { ownerName: string };
    };
    const owner = oneLine(client.ownerName);
    const text = `${owner} asks you to pay ${oneLine(describeAmount(record))}.\n\n${link}\n`;
    await mailer.send({ to, subject: `Payment request of ${owner}`, text });
  };
}

/** What a merchant wrote stays in its own place: without line breaks and other controls it begins no text of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}
