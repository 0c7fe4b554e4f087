/**
 * The brands by which payers know a way to pay: card schemes, wallets, banks' schemes and coins. The payer's page shows
 * them with a picture. The pictures here are simple drawings of our own; they only name what is accepted. Since
 * contract 2.1.
 */
import { escapeXml } from '../read/xml.ts';

export interface Brand {
  /** The name that payers know: `Visa`. A card scheme has the name that `cardBrandOf` returns. */
  readonly name: string;
  /**
   * The text of an SVG image, or the bytes of a PNG image, of at most `maxPictureBytes`. The page shows it 24 pixels
   * high. If it is absent, the page shows the name.
   */
  readonly picture?: string | Uint8Array;
}

/** The largest picture of a brand, in bytes. */
export const maxPictureBytes = 8192;

const HEIGHT = 24;
const MIN_WIDTH = 38;
const frame = (width: number, inside: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}">` +
  `<rect x=".5" y=".5" width="${width - 1}" height="${HEIGHT - 1}" rx="4" fill="#fff" stroke="#d5d9e0"/>${inside}</svg>`;

/** A brand whose picture is its name in this colour. `text` is a shorter spelling for the picture. */
export function wordmark(name: string, colour: string, text = name): Brand {
  const length = Math.round(Array.from(text).length * 6.2);
  const width = Math.max(MIN_WIDTH, length + 10);
  const fitting = Math.min(length, width - 10);
  const drawn =
    `<text x="${width / 2}" y="16" text-anchor="middle" textLength="${fitting}" lengthAdjust="spacingAndGlyphs" ` +
    `font-family="Arial,Helvetica,sans-serif" font-size="11" font-weight="700" fill="${colour}">${escapeXml(text)}</text>`;
  return { name, picture: frame(width, drawn) };
}

const circles = (name: string, left: string, right: string): Brand => ({
  name,
  picture: frame(
    MIN_WIDTH,
    `<circle cx="15" cy="12" r="7" fill="${left}"/><circle cx="23" cy="12" r="7" fill="${right}" fill-opacity=".85"/>`,
  ),
});

/** Brands that several adapters accept. */
export const brands = {
  visa: wordmark('Visa', '#1a2b8c', 'VISA'),
  mastercard: circles('Mastercard', '#d9222a', '#ee9f2d'),
  maestro: circles('Maestro', '#d9222a', '#1b75bb'),
  americanExpress: wordmark('American Express', '#1f6fb5', 'AMEX'),
  discover: wordmark('Discover', '#c4550c'),
  dinersClub: wordmark('Diners Club', '#0a4f8a', 'Diners'),
  jcb: wordmark('JCB', '#0b7443'),
  unionPay: wordmark('UnionPay', '#b3261e'),
  ruPay: wordmark('RuPay', '#1d4f91'),
  upi: wordmark('UPI', '#0b7443'),
  googlePay: wordmark('Google Pay', '#3c4043', 'G Pay'),
  phonePe: wordmark('PhonePe', '#5f259f'),
  paytm: wordmark('Paytm', '#0b3d91'),
  bitcoin: {
    name: 'Bitcoin',
    picture: frame(
      MIN_WIDTH,
      '<circle cx="19" cy="12" r="9" fill="#c96a00"/><path d="M16.5 7.5v9M16.5 7.5h3.2a2.1 2.1 0 0 1 0 4.3h-3.2m0 0h3.7a2.3 2.3 0 0 1 0 4.7h-3.7' +
        'M17.8 6v1.5M20 6v1.5M17.8 16.5V18M20 16.5V18" fill="none" stroke="#fff" stroke-width="1.4"/>',
    ),
  },
} as const satisfies Readonly<Record<string, Brand>>;

/** What an SVG image may not contain: scripts, styles, other documents, and anything that is loaded from an address. */
const forbidden =
  /<(?:script|style|foreignobject|image|iframe|use|animate|set|a)\b|\bon[a-z]+\s*=|href|url\s*\(|<[!?]|&#|&(?!amp;|lt;|gt;|quot;)/i;
const pngStart = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Says in words why a picture cannot be shown. Undefined: it can. */
export function pictureProblem(picture: unknown): string | undefined {
  if (picture instanceof Uint8Array) {
    if (picture.length > maxPictureBytes) return `larger than ${maxPictureBytes} bytes`;
    return pngStart.every((byte, at) => picture[at] === byte) ? undefined : 'not a PNG image';
  }
  if (typeof picture !== 'string') return 'neither the text of an SVG image nor the bytes of a PNG image';
  if (Buffer.byteLength(picture) > maxPictureBytes) return `larger than ${maxPictureBytes} bytes`;
  const isSvg = /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/.test(picture) && picture.endsWith('</svg>');
  if (!isSvg || !/^<svg [^>]*viewBox="/.test(picture)) {
    return 'not an SVG image that begins with <svg, has xmlns and viewBox, and ends with </svg>';
  }
  const [found] = forbidden.exec(picture) ?? [];
  return found === undefined ? undefined : `contains ${found}, which an image of the payer’s page may not have`;
}
