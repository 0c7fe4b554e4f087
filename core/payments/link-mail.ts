/** The mail that brings a payment's link to its client: as text and as HTML, which say the same. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { PaymentRecord } from '../documents/payment-request.ts';
import type { Mailer } from '../mail.ts';
import { describeAmount } from './read/present.ts';
import type { Views } from './read/view.ts';
import type { Merchant } from './service.ts';

/** Mails a payment's link to its client. */
export type LinkMail = (record: PaymentRecord, to: string) => Promise<void>;

/** Of what merchants wrote nothing else is in the mail, and each on one line of its own. */
interface Letter {
  readonly merchant: string;
  readonly amount: string;
  /** Until when it can be paid; null: that is not known. */
  readonly until: string | null;
  readonly link: string;
  readonly isTest: boolean;
  /** Of the button; white is readable on it. */
  readonly colour: string;
}

/** Undefined: there is no mail server. */
export function createLinkMail(
  mailer: Mailer | undefined,
  views: Pick<Views, 'present'>,
  merchantOf: (ownerId: number) => Promise<Merchant>,
): LinkMail | undefined {
  if (!mailer) return undefined;
  return async (record, to) => {
    const [view, merchant] = await Promise.all([views.present(record), merchantOf(record.ownerId)]);
    const { link } = view as unknown as { readonly link: string };
    const letter: Letter = {
      merchant: oneLine(merchant.name),
      colour: merchant.brand.colour ?? ownColour,
      amount: oneLine(describeAmount(record)),
      until: record.expiresAt ? showTime(record.expiresAt) : null,
      link,
      isTest: record.environment === 'test',
    };
    await mailer.send({
      to,
      subject: `${letter.isTest ? 'Test: ' : ''}Payment request of ${letter.merchant}`,
      text: renderText(letter),
      html: `<!doctype html>${String(renderHtml(letter))}`,
    });
  };
}

/** Longer than any name that a person reads. */
const MAX_CHARACTERS = 100;

/** What a merchant wrote stays in its own place: without line breaks and other controls it begins no text of its own. */
function oneLine(text: string): string {
  const characters = Array.from(text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim());
  return characters.length > MAX_CHARACTERS
    ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`
    : characters.join('');
}

/** In UTC: nobody knows where the client is. */
function showTime(at: Date): string {
  const [day, time] = [{ dateStyle: 'long' }, { timeStyle: 'short' }] as const;
  return `${formatOf(day).format(at)}, ${formatOf(time).format(at)} UTC`;
}

function formatOf(style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { ...style, timeZone: 'UTC' });
}

const testNote = 'This is a test: no money moves.';
const close = 'If you expect no such payment, ignore this mail: nothing is charged unless you pay.';

function renderText({ merchant, amount, until, link, isTest }: Letter): string {
  return [
    ...(isTest ? [testNote, ''] : []),
    `Merchant: ${merchant}`,
    `Amount: ${amount}`,
    ...(until === null ? [] : [`Pay until: ${until}`]),
    '',
    'Pay here:',
    link,
    '',
    close,
    '',
  ].join('\n');
}

const font = "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif";
const sheet = `margin:0;padding:24px 12px;background:#f3f4f6;color:#15181e;${font}`;
const card = `max-width:440px;margin:0 auto;padding:32px 24px;border-radius:16px;background:#ffffff;color:#15181e;${font}`;
const flag = 'margin:0 0 16px;padding:8px 12px;border-radius:8px;background:#fff3d6;color:#7a4d00';
const large = 'margin:0 0 16px;font-size:32px;line-height:1.2;font-weight:600';
const soft = 'color:#545c69';
const ownColour = '#2446c8';
const button =
  'display:block;padding:14px 24px;border-radius:12px;color:#ffffff;font-weight:600;text-align:center;text-decoration:none';

/** Styles stand at their elements: mail programs take no others for certain. */
function renderHtml(letter: Letter): SafeHtml {
  const { merchant, amount, until, link, isTest, colour } = letter;
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <title>Payment request</title>
    </head>
    <body style="${sheet}">
      <main style="${card}">
        ${isTest ? html`<p style="${flag}">${testNote}</p>` : null}
        <p style="margin:0 0 4px"><span style="${soft}">Merchant:</span> <strong>${merchant}</strong></p>
        <h1 style="${large}">${amount}</h1>
        <p style="margin:0 0 24px"><a href="${link}" style="${button};background:${colour}">Pay now</a></p>
        ${until === null ? null : html`<p style="margin:0 0 16px">Pay until ${until}.</p>`}
        <p style="margin:0;font-size:14px;${soft}">${close}</p>
      </main>
    </body>
  </html>`;
}
