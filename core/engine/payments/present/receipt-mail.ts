/** The receipt that a payer gets by mail, if the gateway mailed the link. */
import { cardBrandOf, formatAmount } from '@paywright/contract';
import type { Logger } from 'pino';
import { chargedAmount, latestAttempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { BackgroundTasks } from '../../../base/async/background-tasks.ts';
import type { Mailer } from '../../../base/net/mail.ts';
import { showAmount } from '../../../base/text/show-amount.ts';
import { frameOf, mailTime, oneLine, plainText, toMail } from './payer-mail.ts';
import type { Views } from './view.ts';
import type { Merchant } from '../types/pay-page.ts';
import { payingAttempt } from '../state/charges.ts';

/** Mails the receipt if this change made the payment paid. */
export type ReceiptMail = (record: PaymentRecord, before: PaymentRecord | undefined) => void;

export interface ReceiptMailDeps {
  readonly mailer: Mailer | undefined;
  readonly views: Pick<Views, 'present'>;
  readonly merchantOf: (ownerId: number) => Promise<Merchant>;
  readonly publicUrl: string;
  readonly backgroundTasks: BackgroundTasks;
  readonly log: Logger;
}

/** A payment becomes paid in one write of one process, so its receipt is mailed at most once. */
export function createReceiptMail(deps: ReceiptMailDeps): ReceiptMail {
  const { mailer, backgroundTasks, log } = deps;
  return (record, before) => {
    const becamePaid = record.statusId === status.paid && before?.statusId !== status.paid;
    const to = record.client?.email || record.payerEmail;
    if (!mailer || !record.linkMailed || !becamePaid || before?.statusId === status.refunded || !to) return;
    const fields = { paymentRequestId: record._id };
    const send = async (): Promise<void> => {
      try {
        await sendReceipt(deps, mailer, record, to);
        log.info(fields, 'receipt mailed');
      } catch (error) {
        log.error({ ...fields, err: error }, 'the receipt could not be mailed');
      }
    };
    backgroundTasks.track('a receipt could not be mailed', send());
  };
}

async function sendReceipt(
  { views, merchantOf, publicUrl }: ReceiptMailDeps,
  mailer: Mailer,
  record: PaymentRecord,
  to: string,
): Promise<void> {
  const [view, merchant] = await Promise.all([views.present(record), merchantOf(record.ownerId)]);
  const { link } = view as unknown as { readonly link: string };
  const paying = payingAttempt(record) ?? latestAttempt(record)!;
  const frame = frameOf(record, merchant, publicUrl);
  const { words, locale } = frame.speech;
  const name = oneLine(merchant.name);
  const { currency, settledAt, reference, cardBin, cardLastDigits } = paying;
  const shown = showAmount(locale, formatAmount({ amount: chargedAmount(paying), currency }), currency);
  const mail = {
    to,
    subject: words.receipt(name),
    title: words.receipt(name),
    amount: shown,
    facts: [
      [words.paidAt, mailTime(locale, settledAt ?? record.createdAt)],
      [words.card, cardLastDigits && `${cardBrandOf(cardBin ?? '')?.name ?? ''} •••• ${cardLastDigits}`.trim()],
      [words.description, plainText(record.notes)],
      [words.order, plainText(record.referenceId)],
      [words.reference, reference],
    ],
    button: words.viewReceipt,
    lead: words.viewReceipt,
    link,
    close: words.thanks(name),
  } as const;
  await mailer.send(toMail(mail, frame));
}
