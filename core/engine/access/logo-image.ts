/**
 * Reads the type and the size of a logo from its bytes, without decoding it. A library that reads sizes is not used
 * here, because `image-size` accepts anything in a JPEG that resembles a frame header. A crafted file could then claim
 * a small size and pass the limit of pixels.
 */

/** SVG is not allowed: it may contain scripts and load other addresses. */
export const logoTypes = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;
export type LogoType = keyof typeof logoTypes;

export interface LogoImage {
  readonly type: LogoType;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** Reads the bytes, not the file name. Undefined if they are not a complete image of a supported type. */
export function readLogoImage(image: Buffer): LogoImage | undefined {
  const type = typeOf(image);
  const size = type && readSize(image, type);
  return type && size && size.width > 0 && size.height > 0 ? { type, ...size } : undefined;
}

type Size = Pick<LogoImage, 'width' | 'height'>;

/** Detects the type by the first and the last bytes. Nothing may follow the image. */
function typeOf(image: Buffer): LogoType | undefined {
  const at = (start: number, hex: string): boolean =>
    image.subarray(start, start + hex.length / 2).equals(Buffer.from(hex, 'hex'));
  if (at(0, '89504e470d0a1a0a0000000d49484452') && at(image.length - 12, '0000000049454e44ae426082'))
    return 'image/png';
  if (at(0, 'ffd8ff') && at(image.length - 2, 'ffd9')) return 'image/jpeg';
  const isRiff = at(0, '52494646') && at(8, '57454250') && image.readUInt32LE(4) === image.length - 8;
  return isRiff ? 'image/webp' : undefined;
}

function readSize(image: Buffer, type: LogoType): Size | undefined {
  try {
    switch (type) {
      case 'image/png':
        return { width: image.readUInt32BE(16), height: image.readUInt32BE(20) };
      case 'image/jpeg':
        return readJpegSize(image);
      case 'image/webp':
        return readWebpSize(image);
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined; // The image ends before its size.
    throw error;
  }
}

/** ITU T.81, B.2.2: the size is in the header of the frame. Other segments may precede it. */
function readJpegSize(image: Buffer): Size | undefined {
  let at = 2;
  while (image.readUInt8(at) === 0xff) {
    const marker = image.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1; // Padding.
    } else if (isFrame(marker)) {
      return { height: image.readUInt16BE(at + 5), width: image.readUInt16BE(at + 7) };
    } else if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda)) {
      return undefined; // Not a segment, or the picture itself.
    } else {
      at += 2 + image.readUInt16BE(at + 2);
    }
  }
  return undefined;
}

/** SOF0 to SOF15, except three markers in that range that introduce other tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** RFC 9649, 2.5 to 2.7: the first chunk has the size. */
function readWebpSize(image: Buffer): Size | undefined {
  const bits14 = 0x3fff;
  switch (image.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: image.readUInt16LE(26) & bits14, height: image.readUInt16LE(28) & bits14 };
    case 'VP8L': {
      const bits = image.readUInt32LE(21);
      return { width: (bits & bits14) + 1, height: ((bits >>> 14) & bits14) + 1 };
    }
    case 'VP8X':
      return { width: image.readUIntLE(24, 3) + 1, height: image.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
