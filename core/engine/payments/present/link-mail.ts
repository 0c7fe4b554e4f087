/** The mail that brings a payment's link to its client, as text and as HTML with the same content. */
import { formatAmount } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Mailer } from '../../../base/net/mail.ts';
import { showAmount } from '../../../base/text/show-amount.ts';
import { linkMailSpeechOf, type LinkMailSpeech } from './link-mail-texts.ts';
import type { Views } from './view.ts';
import type { Merchant } from '../types/pay-page.ts';

/** Mails a payment's link to its client. */
export type LinkMail = (record: PaymentRecord, to: string) => Promise<void>;

/** The mail contains nothing else that merchants wrote, and each of these texts is on a line of its own. */
interface LinkMailContent extends LinkMailSpeech {
  readonly merchant: string;
  /** Our own address of the merchant's logo, the same for every reader; null: there is no logo. */
  readonly logo: string | null;
  readonly amount: string;
  /** When the link expires; null: unknown. */
  readonly until: string | null;
  readonly link: string;
  readonly isTest: boolean;
  /** The colour of the button. White text is readable on it. */
  readonly colour: string;
}

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
    const { amount, unit, expiresAt, payerCountry } = record;
    const speech = linkMailSpeechOf(payerCountry);
    const { logo, colour } = merchant.brand;
    const content: LinkMailContent = {
      ...speech,
      merchant: oneLine(merchant.name),
      logo: logo === null ? null : `${publicUrl}/pay/logos/${logo}`,
      colour: colour ?? ownColour,
      amount: showAmount(speech.locale, formatAmount({ amount, currency: unit }), oneLine(unit)),
      until: expiresAt ? showTime(speech.locale, expiresAt) : null,
      link,
      isTest: record.environment === 'test',
    };
    await mailer.send({
      to,
      subject: `${content.isTest ? `${speech.words.test}: ` : ''}${speech.words.subject(content.merchant)}`,
      text: renderText(content),
      html: `<!doctype html>${String(renderHtml(content))}`,
    });
  };
}

/** Longer than any name that a person reads. */
const MAX_CHARACTERS = 100;

/**
 * Keeps the merchant's text on one line: without line breaks and other control characters it cannot start a text of its
 * own.
 */
function oneLine(text: string): string {
  const characters = Array.from(text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim());
  return characters.length > MAX_CHARACTERS
    ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`
    : characters.join('');
}

/** In UTC, because the client's time zone is unknown. */
function showTime(locale: string, at: Date): string {
  const shown = [{ dateStyle: 'long' }, { timeStyle: 'short' }].map((style) =>
    new Intl.DateTimeFormat(locale, { ...(style as Intl.DateTimeFormatOptions), timeZone: 'UTC' }).format(at),
  );
  return `${shown.join(', ')} UTC`;
}

function renderText({ words, merchant, amount, until, link, isTest }: LinkMailContent): string {
  return [
    ...(isTest ? [words.testNote, ''] : []),
    `${words.merchant}: ${merchant}`,
    `${words.amount}: ${amount}`,
    ...(until === null ? [] : [`${words.until}: ${until}`]),
    '',
    `${words.payHere}:`,
    link,
    '',
    words.close,
    '',
  ].join('\n');
}

const font = "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif";
const sheet = `margin:0;padding:24px 12px;background:#f3f4f6;color:#15181e;${font}`;
const card = `max-width:440px;margin:0 auto;padding:32px 24px;border-radius:16px;background:#ffffff;color:#15181e;${font}`;
const flag = 'margin:0 0 16px;padding:8px 12px;border-radius:8px;background:#fff3d6;color:#7a4d00';
const large = 'margin:0 0 16px;font-size:32px;line-height:1.2;font-weight:600';
const soft = 'color:#545c69';
const image = 'display:block;height:36px;max-width:180px;border:0';
const ownColour = '#2446c8';
const button =
  'display:block;padding:14px 24px;border-radius:12px;color:#ffffff;font-weight:600;text-align:center;text-decoration:none';

/** Styles are inline, because mail programs support no other styles reliably. */
function renderHtml(content: LinkMailContent): SafeHtml {
  const { words, language, merchant, logo, amount, until, link, isTest, colour } = content;
  return html`<html lang="${language}" dir="${words.direction}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <title>${words.payNow}</title>
    </head>
    <body style="${sheet}">
      <main style="${card}">
        ${isTest ? html`<p style="${flag}">${words.testNote}</p>` : null}
        ${logo === null ? null : html`<p style="margin:0 0 16px"><img src="${logo}" alt="" height="36" style="${image}" /></p>`}
        <p style="margin:0 0 4px"><span style="${soft}">${words.merchant}:</span> <strong>${merchant}</strong></p>
        <h1 style="${large}">${amount}</h1>
        <p style="margin:0 0 24px"><a href="${link}" style="${button};background:${colour}">${words.payNow}</a></p>
        ${until === null ? null : html`<p style="margin:0 0 16px">${words.until}: ${until}</p>`}
        <p style="margin:0;font-size:14px;${soft}">${words.close}</p>
      </main>
    </body>
  </html>`;
}
