/** Pictures of the brands by which payers know a way. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { PayerBrand } from '../../engine/payments/types/pay-page.ts';
import { picturePath } from '../pictures.ts';

/** More pictures than these would fill the line of a phone. */
const MAX_SHOWN = 3;

/** `base` leads from the page to the root of the service. A way's name says what the pictures show. */
export function brandsOfWay(brands: readonly PayerBrand[], base: string): SafeHtml | null {
  const pictures = brands.flatMap(({ picture }) => (picture === null ? [] : [pictureOf(picture, '', base)]));
  return pictures.length === 0 ? null : html`<span class="brands">${pictures.slice(0, MAX_SHOWN)}</span>`;
}

/** The cards that are accepted. The script marks the brand of the number that is typed. */
export function acceptedCards(brands: readonly PayerBrand[], label: string, base: string): SafeHtml | null {
  if (brands.length === 0) return null;
  const shown = brands.map(
    ({ name, picture }) =>
      html`<li data-accepted="${name}">${picture === null ? name : pictureOf(picture, name, base)}</li>`,
  );
  return html`<ul class="brands" aria-label="${label}">
    ${shown}
  </ul>`;
}

function pictureOf(file: string, alt: string, base: string): SafeHtml {
  return html`<img src="${base}${picturePath(file)}" alt="${alt}" height="24" />`;
}
