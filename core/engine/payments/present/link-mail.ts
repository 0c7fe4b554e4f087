/** The mail that brings a payment's link to its client. */
import { formatAmount } from '@paywright/contract';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Mailer } from '../../../base/net/mail.ts';
import { showAmount } from '../../../base/text/show-amount.ts';
import { frameOf, mailTime, oneLine, plainText, toMail } from './payer-mail.ts';
import type { Views } from './view.ts';
import type { Merchant } from '../types/pay-page.ts';

/** Mails a payment's link to its client. */
export type LinkMail = (record: PaymentRecord, to: string) => Promise<void>;

/** Undefined if there is no mail server. */
export function createLinkMail(
  mailer: Mailer | undefined,
  views: Pick<Views, 'present'>,
  merchantOf: (ownerId: number) => Promise<Merchant>,
  publicUrl: string,
): LinkMail | undefined {
  if (!mailer) return undefined;
  return async (record, to) => {
    const [view, merchant] = await Promise.all([views.present(record), merchantOf(record.ownerId)]);
    const { link } = view as unknown as { readonly link: string };
    const { amount, unit, expiresAt, referenceId, notes, payerName, client } = record;
    const frame = frameOf(record, merchant, publicUrl);
    const { words, locale } = frame.speech;
    const name = oneLine(merchant.name);
    const shown = showAmount(locale, formatAmount({ amount, currency: unit }), oneLine(unit));
    const mail = {
      to,
      subject: words.subject(name),
      title: words.subject(name),
      amount: shown,
      facts: [
        [words.payer, plainText(client?.name ?? payerName)],
        [words.description, plainText(notes)],
        [words.order, plainText(referenceId)],
        [words.until, expiresAt ? mailTime(locale, expiresAt) : null],
      ],
      button: words.payNow(shown),
      lead: words.payHere,
      link,
      close: words.close,
    } as const;
    await mailer.send(toMail(mail, frame));
  };
}
