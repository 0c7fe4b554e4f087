import { html, type SafeHtml } from '@remix-run/html-template';

/** Writes attributes of an element. An undefined or false attribute is left out; a true attribute has no value. */
export function attributes(values: Readonly<Record<string, string | number | boolean | undefined>>): SafeHtml {
  const shown = Object.entries(values).map(([name, value]) => {
    if (value === undefined || value === false) return null;
    return value === true ? html.raw` ${name}` : html`${html.raw` ${name}`}="${value}"`;
  });
  return html`${shown}`;
}
