/**
 * The layout of mails to payers, as text and as HTML with the same content: the link of a payment, and its receipt. In
 * HTML the title names the merchant, and the amount is large; in text both are lines.
 */
import { html } from '@remix-run/html-template';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { mailPage, mailStyles } from '../../../base/net/mail-page.ts';
import type { Mail } from '../../../base/net/mail.ts';
import { payerMailSpeechOf, type PayerMailSpeech } from './payer-mail-texts.ts';
import type { Merchant } from '../types/pay-page.ts';

export interface PayerMail {
  readonly to: string;
  readonly subject: string;
  /** What the mail is about, in one sentence. It is the title of the HTML. */
  readonly title: string;
  readonly amount: string;
  /** The facts besides merchant and amount, each on a line of its own. A fact without a value is left out. */
  readonly facts: readonly (readonly [name: string, value: string | null])[];
  readonly button: string;
  /** The sentence above the address in the plain text. */
  readonly lead: string;
  readonly link: string;
  readonly close: string;
}

export interface PayerMailFrame {
  readonly speech: PayerMailSpeech;
  readonly merchant: Merchant;
  readonly isTest: boolean;
  readonly publicUrl: string;
}

export function toMail(mail: PayerMail, { speech, merchant, isTest, publicUrl }: PayerMailFrame): Mail {
  const { words, language } = speech;
  const { logo, colour, support, terms } = merchant.brand;
  const name = oneLine(merchant.name);
  const facts = mail.facts.filter((fact): fact is readonly [string, string] => fact[1] !== null);
  const image = logo === null ? null : `${publicUrl}/pay/logos/${logo}`;
  const contacts = [
    ...(support === null ? [] : [[words.help, support] as const]),
    ...(terms === null ? [] : [[words.terms, terms] as const]),
  ];
  return {
    to: mail.to,
    ...(name !== '' && { fromName: name }),
    ...(isMailAddress(support) && { replyTo: support }),
    subject: isTest ? `${words.test}: ${mail.subject}` : mail.subject,
    text: [
      ...(isTest ? [words.testNote, ''] : []),
      ...[[words.merchant, name], [words.amount, mail.amount], ...facts].map(([label, value]) => `${label}: ${value}`),
      '',
      `${mail.lead}:`,
      mail.link,
      '',
      mail.close,
      ...(contacts.length === 0 ? [] : ['', ...contacts.map(([label, value]) => `${label}: ${value}`)]),
      '',
    ].join('\n'),
    html: mailPage({
      title: mail.title,
      language,
      direction: words.direction,
      ...(colour !== null && { accent: colour }),
      body: html`${isTest ? html`<p style="${mailStyles.flag.warning}" class="warning">${words.testNote}</p>` : null}
        ${image === null ? null : html`<p style="${mailStyles.text}"><img src="${image}" alt="" height="36" style="${mailStyles.logo}" /></p>`}
        <h1 style="${mailStyles.title}">${mail.title}</h1>
        <p style="${mailStyles.amount}">${mail.amount}</p>
        <table role="presentation" style="${mailStyles.facts}">
          ${facts.map(
            ([label, value]) =>
              html`<tr>
                <td style="${mailStyles.factName}" class="soft">${label}</td>
                <td style="${mailStyles.fact}"><bdi>${value}</bdi></td>
              </tr>`,
          )}
        </table>
        <p style="${mailStyles.text}">
          <a href="${mail.link}" style="${mailStyles.button};background:${colour ?? '#2446c8'}" class="button"
            >${mail.button}</a
          >
        </p>
        <p style="${mailStyles.small}" class="soft">${mail.close}</p>
        ${contacts.map(
          ([label, value]) =>
            html`<p style="${mailStyles.small}" class="soft">
              ${label}:
              <a href="${isMailAddress(value) ? `mailto:${value}` : value}" style="color:inherit"
                ><bdi>${value}</bdi></a
              >
            </p>`,
        )}`,
    }),
  };
}

/** What every mail about this payment needs. */
export function frameOf(record: PaymentRecord, merchant: Merchant, publicUrl: string): PayerMailFrame {
  const { payerCountry, environment } = record;
  return { speech: payerMailSpeechOf(payerCountry), merchant, isTest: environment === 'test', publicUrl };
}

function isMailAddress(support: string | null): support is string {
  return support !== null && support.includes('@') && !support.includes('/');
}

/** Longer than any name that a person reads. */
const MAX_CHARACTERS = 100;

/**
 * Keeps the merchant's text on one line: without line breaks and other control characters it cannot start a text of its
 * own.
 */
export function oneLine(text: string): string {
  const characters = Array.from(text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim());
  return characters.length > MAX_CHARACTERS
    ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`
    : characters.join('');
}

/**
 * A text of the merchant that only explains: an order number, or the payer's name. Null if there is none, or if it
 * looks like an address: the merchant chooses the receiver, and must not place a link in our mail.
 */
export function plainText(text: string | null): string | null {
  const line = oneLine(text ?? '');
  return line === '' || /:\/\/|www\.|@|\.\p{L}{2,}/iu.test(line) ? null : line;
}

/** In UTC, because the client's time zone is unknown. */
export function mailTime(locale: string, at: Date): string {
  const shown = [{ dateStyle: 'long' }, { timeStyle: 'short' }].map((style) =>
    new Intl.DateTimeFormat(locale, { ...(style as Intl.DateTimeFormatOptions), timeZone: 'UTC' }).format(at),
  );
  return `${shown.join(', ')} UTC`;
}
