/** Draws a QR code on the server, so that the browser needs no script and no other service sees the payment. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { encodeQR } from 'qr';

/** The quiet zone of ISO/IEC 18004, in modules. */
const border = 4;

/** Null if the text is too long for a code. */
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
    return undefined; // The text is longer than the largest code. The page shows the text as well.
  }
}
