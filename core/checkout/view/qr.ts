/** A QR code, drawn here: a browser needs no script for it, and nobody else learns what is paid. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { encodeQR } from 'qr';

/** Of ISO/IEC 18004: light modules around the code. */
const border = 4;

/** Null: the text is too long for a code. */
export function qrCode(text: string, label: string): SafeHtml | null {
  const modules = modulesOf(text);
  if (!modules) return null;
  const path = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  const size = modules.length;
  return html`<svg
    class="qr"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${path}" fill="#000" />
  </svg>`;
}

function modulesOf(text: string): boolean[][] | undefined {
  try {
    return encodeQR(text, 'raw', { ecc: 'medium', border });
  } catch {
    return undefined; // Longer than the largest code: the page has the text too.
  }
}
