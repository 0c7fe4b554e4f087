/**
 * The style of the pages. The style sheet is inside the page, and the page's policy allows it by its digest. A separate
 * file would cost the payer one more round trip on a slow network.
 */
import { readFileSync } from 'node:fs';
import { hash } from '@paywright/contract';
import { readableOn } from '../base/text/colour.ts';
import { themeCss } from './theme.ts';

export interface PageStyle {
  readonly css: string;
  /** The value for `style-src` in a Content-Security-Policy. */
  readonly source: string;
}

/** The folder of the sources: style sheets are not copied to the compiled files. */
const sources = new URL('../../../core/html/', import.meta.url);

const comments = /\/\*.*?(?:\*\/\s*|$)/gs;
const css = `${themeCss()}${readFileSync(new URL('page.css', sources), 'utf8')}`
  .replaceAll(comments, '')
  .replaceAll(/\n\s+/g, '\n');

/** The background colours of `theme.css`. */
const grounds = { light: '#ffffff', dark: '#181b21' } as const;

const plain = toStyle(css);

/** `colour` is a merchant's colour, such as `#0b7443`, on which white text is readable. */
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
