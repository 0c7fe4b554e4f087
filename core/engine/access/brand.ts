/** The brand that a merchant shows to its payers: name, logo, colour, and the addresses of support and terms. */
import { hash } from '@paywright/contract';
import type { StoredBrand, StoredLogo } from '../../database/collections/owner.ts';
import { invalidField } from '../../base/errors.ts';
import { contrast, isColour, LEAST_CONTRAST, readableOn } from '../../base/text/colour.ts';
import { logoTypes, readLogoImage, type LogoType } from './logo-image.ts';

export interface Brand {
  /** The name that payers see instead of the owner's name. */
  readonly displayName: string | null;
  readonly logo: LogoName | null;
  /** `#rrggbb`, readable on white. */
  readonly colour: string | null;
  /** An e-mail address or an https address. */
  readonly support: string | null;
  /** An https address. */
  readonly terms: string | null;
}

export interface LogoName {
  /** The hash of the logo's bytes. A different logo has a different hash. */
  readonly hash: string;
  readonly type: LogoType;
}

export interface Logo extends LogoName {
  readonly bytes: Uint8Array;
}

/** Returns the file name that the logo is served under: `7-0f3c….png`. */
export function logoFile(ownerId: number, { hash, type }: LogoName): string {
  return `${ownerId}-${hash}.${logoTypes[type]}`;
}

/** Reads the owner and the hash from such a file name. Undefined for any other name. */
export function readLogoFile(name: string): { readonly ownerId: number; readonly hash: string } | undefined {
  const [, id, hash] = /^([1-9]\d{0,14})-([0-9a-f]{16})\.(?:png|jpg|webp)$/.exec(name) ?? [];
  return id === undefined || hash === undefined ? undefined : { ownerId: Number(id), hash };
}

/** An absent member stays unchanged; null removes it. */
export interface BrandChanges {
  readonly displayName?: string | null | undefined;
  /** The bytes of the file. */
  readonly logo?: Uint8Array | null | undefined;
  readonly colour?: string | null | undefined;
  readonly support?: string | null | undefined;
  readonly terms?: string | null | undefined;
}

const MAX_LOGO_BYTES = 65_536;
/** Maximum width and height in pixels. A browser needs 4 bytes per pixel, however small the file is. */
const MAX_LOGO_PIXELS = 2000;
const HASH_LENGTH = 16;

/** Converts the changes to their stored form. Throws VAL002 with the name of the member that is wrong. */
export function readBrand({ displayName, logo, colour, support, terms }: BrandChanges) {
  return {
    displayName: kept(displayName, readName),
    logo: kept(logo, readLogo),
    colour: kept(colour, readColour),
    support: kept(support, readSupport),
    terms: kept(terms, (url) => readAddress('terms', url)),
  };
}

function kept<T, S>(value: T | null | undefined, read: (value: T) => S): S | null | undefined {
  return value === null || value === undefined ? (value as null | undefined) : read(value);
}

/** The brand of an owner that has set nothing. */
export const noBrand: Brand = { displayName: null, logo: null, colour: null, support: null, terms: null };

export function toBrand({ displayName, logo, colour, support, terms }: StoredBrand = {}): Brand {
  return {
    displayName: displayName ?? null,
    logo: logo ? { hash: logo.hash, type: logo.type as LogoType } : null,
    colour: colour ?? null,
    support: support ?? null,
    terms: terms ?? null,
  };
}

function readName(name: string): string {
  if (name.trim() !== name || !/^[^\p{C}\p{Zl}\p{Zp}]{1,60}$/u.test(name))
    throw invalidField(
      'displayName',
      name,
      'must be a name of 1 to 60 characters on one line, without space around it',
    );
  return name;
}

function readColour(colour: string): string {
  if (!isColour(colour)) throw invalidField('colour', colour, 'must be a colour such as #2446c8');
  const given = colour.toLowerCase();
  const measured = contrast(given, '#ffffff');
  if (measured >= LEAST_CONTRAST) return given;
  const near = readableOn('#ffffff', given, '#000000');
  const rule = `must have a contrast of at least ${LEAST_CONTRAST} with white, and has ${measured.toFixed(1)}`;
  throw invalidField('colour', colour, `${rule}: ${near} would do`);
}

function readSupport(support: string): string {
  if (/^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,255}$/u.test(support)) return support;
  return readAddress('support', support, 'must be an e-mail address, or an https address of at most 2048 characters');
}

function readAddress(field: string, url: string, rule = 'must be an https address of at most 2048 characters'): string {
  const read = url.length <= 2048 && URL.canParse(url) ? new URL(url) : undefined;
  if (read?.protocol !== 'https:' || read.username || read.password) throw invalidField(field, url, rule);
  return read.href;
}

function readLogo(bytes: Uint8Array): StoredLogo {
  const image = Buffer.from(bytes);
  if (image.length > MAX_LOGO_BYTES)
    throw invalidField('logo', null, `must have at most ${MAX_LOGO_BYTES} bytes, and has ${image.length}`);
  const read = readLogoImage(image);
  if (!read) throw invalidField('logo', null, 'must be a complete PNG, JPEG or WebP image');
  const { type, width, height } = read;
  if (Math.max(width, height) > MAX_LOGO_PIXELS) {
    const most = `${MAX_LOGO_PIXELS} × ${MAX_LOGO_PIXELS}`;
    throw invalidField('logo', null, `must have at most ${most} pixels, and has ${width} × ${height}`);
  }
  return { hash: hash('sha256', image).toString('hex').slice(0, HASH_LENGTH), type, bytes: image };
}
