/** Images for tests: a whole PNG, and the headers of the other types. */
import { crc32, deflateSync } from 'node:zlib';

/** A valid image of one colour. A different `more` gives a different image. */
export function pngImage(width = 2, height = 2, { colour = '#2446c8', more = '' } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // 8 bits each of red, green and blue.
  const row = Buffer.concat([
    Buffer.of(0),
    ...Array.from({ length: width }, () => Buffer.from(colour.slice(1), 'hex')),
  ]);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  const words = more === '' ? [] : [pngChunk('tEXt', Buffer.from(`Comment\0${more}`))];
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...words,
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A JPEG with an application segment before the header of the frame. */
export function jpegHeader(width: number, height: number): Buffer {
  const frame = Buffer.from('ffc2000b080000000001011100', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([
    Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
    frame,
    Buffer.from('ffd9', 'hex'),
  ]);
}

/** A WebP: `VP8 ` is lossy, `VP8L` lossless, `VP8X` extended. */
export function webpHeader(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const chunk = Buffer.alloc(20);
  chunk.write(kind, 0);
  if (kind === 'VP8 ') {
    chunk.writeUInt16LE(width, 14);
    chunk.writeUInt16LE(height, 16);
  } else if (kind === 'VP8L') {
    chunk.writeUInt8(0x2f, 8);
    chunk.writeUInt32LE((width - 1) | ((height - 1) << 14), 9);
  } else {
    chunk.writeUIntLE(width - 1, 12, 3);
    chunk.writeUIntLE(height - 1, 15, 3);
  }
  const size = Buffer.alloc(4);
  size.writeUInt32LE(chunk.length + 4);
  return Buffer.concat([Buffer.from('RIFF'), size, Buffer.from('WEBP'), chunk]);
}
