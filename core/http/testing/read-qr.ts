/** Reads the QR code that a page of the payer draws, as a camera does. */
import { decodeQR } from 'qr/decode.js';

export function readQr(page: string): string {
  const [, size = '', path = ''] =
    /<svg\s+class="qr"[^>]*viewBox="0 0 (\d+) \d+".*?<path d="([^"]*)"/s.exec(page) ?? [];
  const scale = 4;
  const side = Number(size) * scale;
  const pixels = new Uint8Array(side * side * 3).fill(255);
  for (const [, x = '', y = ''] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let dy = 0; dy < scale; dy += 1) {
      const from = ((Number(y) * scale + dy) * side + Number(x) * scale) * 3;
      pixels.fill(0, from, from + scale * 3);
    }
  }
  return decodeQR({ width: side, height: side, data: pixels });
}
