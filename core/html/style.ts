/**
 * How pages look. The style stands in the page itself, and the page's policy allows it by its digest: on a slow network a
 * sheet of its own would keep the payer waiting for one more way there and back.
 */
import { readFileSync } from 'node:fs';
import { hash } from '@paywright/contract';
import { readableOn } from '../base/text/colour.ts';

export interface PageStyle {
  readonly css: string;
  /** Of `style-src` in a Content-Security-Policy. */
  readonly source: string;
}

/** The sources, beside which the compiled files are not. */
const sources = new URL('../../../core/html/', import.meta.url);

const comments = /\/\*.*?\*\/\s*/gs;
const css = readFileSync(new URL('page.css', sources), 'utf8').replaceAll(comments, '');

/** As `page.css` has them. */
const grounds = { light: '#ffffff', dark: '#181b21' } as const;

const plain = toStyle(css);

/** `colour` is a merchant's, `#0b7443`, on which white is readable. */
export function styleOf(colour: string | null | undefined): PageStyle {
  if (!colour || !/^#[0-9a-f]{6}$/.test(colour)) return plain;
  const inDark = readableOn(grounds.dark, colour, '#ffffff');
  return toStyle(
    `${css}:root{--accent:${colour};--accent-ink:${grounds.light}}` +
      `@media screen and (prefers-color-scheme:dark){:root{--accent:${inDark};--accent-ink:${grounds.dark}}}`,
  );
}

function toStyle(text: string): PageStyle {
  return { css: text, source: `'sha256-${hash('sha256', text).toString('base64')}'` };
}
