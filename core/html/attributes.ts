import { html, type SafeHtml } from '@remix-run/html-template';

/** Attributes of an element: one that is undefined or false is left out, one that is true has no value. */
export function attributes(values: Readonly<Record<string, string | number | boolean | undefined>>): SafeHtml {
  const shown = Object.entries(values).map(([name, value]) => {
    if (value === undefined || value === false) return null;
    return value === true ? html.raw` ${name}` : html`${html.raw` ${name}`}="${value}"`;
  });
  return html`${shown}`;
}
