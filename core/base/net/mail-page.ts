/**
 * The frame and the styles of mails in HTML. Styles are inline, because mail programs support no other styles reliably.
 * A program that supports a style sheet also gets the dark colours.
 */
import { html, type SafeHtml } from '@remix-run/html-template';
import { readableOn } from '../text/colour.ts';

export interface MailPage {
  readonly title: string;
  readonly body: SafeHtml;
  /** Default: English, left to right. */
  readonly language?: string;
  readonly direction?: 'ltr' | 'rtl';
  /** The colour of the button, `#rrggbb`. White text is readable on it. Default: our own. */
  readonly accent?: string;
}

const font = "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif";
const flag = 'display:inline-block;margin:0 0 12px;padding:2px 10px;border-radius:999px;font-size:14px;font-weight:600';

/** The colours are those of the pages. The class next to a style selects the dark colours. */
export const mailStyles = {
  title: 'margin:0 0 8px;font-size:24px;line-height:1.25;font-weight:600',
  text: 'margin:0 0 16px',
  small: 'margin:0 0 8px;font-size:14px;color:#545c69',
  amount: 'margin:0 0 16px;font-size:32px;line-height:1.2;font-weight:600',
  logo: 'display:block;height:36px;max-width:180px;border:0',
  facts: 'margin:0 0 16px;border-collapse:collapse',
  factName: 'padding:2px 16px 2px 0;vertical-align:top;color:#545c69',
  fact: 'padding:2px 0;vertical-align:top;overflow-wrap:anywhere',
  code: 'font:14px/1.5 ui-monospace,Menlo,monospace;padding:2px 6px;border-radius:6px;background:#f3f4f6;overflow-wrap:anywhere',
  button:
    'display:inline-block;padding:12px 24px;border-radius:12px;background:#2446c8;color:#ffffff;font-weight:600;text-decoration:none',
  flag: {
    critical: `${flag};background:#fdecea;color:#b3261e`,
    warning: `${flag};background:#fff3d6;color:#7a4d00`,
    info: `${flag};background:#e9ecf1;color:#3f4753`,
  },
} as const;

const sheet = `margin:0;padding:24px 12px;background:#f3f4f6;color:#15181e;${font}`;
const card = `max-width:560px;margin:0 auto;padding:32px 24px;border-radius:16px;background:#ffffff;color:#15181e;${font}`;

/** Rules beat inline styles only if they are important. */
const darkOf = (accent: string): string => `@media (prefers-color-scheme: dark) {
  body { background: #0e1014 !important; color: #f1f3f6 !important; }
  main { background: #181b21 !important; color: #f1f3f6 !important; }
  .soft { color: #a6aebb !important; }
  .code { background: #252a33 !important; color: #f1f3f6 !important; }
  .button { background: ${accent} !important; color: #0d1330 !important; }
  .critical { background: #3a1917 !important; color: #ff9a90 !important; }
  .warning { background: #33270d !important; color: #ffcf7a !important; }
  .info { background: #252a33 !important; color: #c3cad6 !important; }
}`;

export function mailPage({ title, body, language = 'en', direction = 'ltr', accent }: MailPage): string {
  const inDark = accent === undefined ? '#97abff' : readableOn('#181b21', accent, '#ffffff');
  const page = html`<html lang="${language}" dir="${direction}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="supported-color-schemes" content="light dark" />
      <title>${title}</title>
      ${html.raw`<style>${darkOf(inDark)}</style>`}
    </head>
    <body style="${sheet}">
      <main style="${card}">${body}</main>
    </body>
  </html>`;
  return `<!doctype html>${String(page)}`;
}
