/** How payers see the ways of an adapter: names, brands and pictures, of the manifest and of config. */
import { createHash } from 'node:crypto';
import type { Brand, PaymentMethod, Way } from '@paywright/contract';
import type { ActiveAdapter, WayTitle } from './load/load-adapters.ts';
import type { Registry } from './registry.ts';

export interface Picture {
  readonly type: 'image/svg+xml' | 'image/png';
  readonly bytes: Buffer;
}

const HASH_LENGTH = 16;
/** Each picture is hashed once. */
const files = new Map<string | Uint8Array, string>();

/** The file name of a picture, with a hash of its content. Null if the brand has no picture. */
export function pictureFile({ picture }: Brand): string | null {
  if (picture === undefined) return null;
  const known = files.get(picture);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(picture).digest('hex').slice(0, HASH_LENGTH);
  const file = `${hash}.${typeof picture === 'string' ? 'svg' : 'png'}`;
  files.set(picture, file);
  return file;
}

/** The brands of a way. A list in config leaves out the others. */
export function brandsOf(active: ActiveAdapter, method: PaymentMethod, sandbox: boolean): readonly Brand[] {
  const { brands } = active.adapter.manifest;
  const all = typeof brands === 'function' ? brands(sandbox ? active.sandboxOptions : active.options) : brands;
  const shown = all?.[method] ?? [];
  return active.brands ? shown.filter(({ name }) => active.brands?.includes(name)) : shown;
}

/** The name of a way by language, and by `''` in any other language. Undefined: its brands name it. */
export function namesOf({ title }: ActiveAdapter, way: Way): Readonly<Record<string, string>> | undefined {
  if (title !== undefined) return byLanguage(title);
  return way.titles && { '': way.title, ...way.titles };
}

/** In a language that is missing, payers read the English text, or else the first one. */
function byLanguage(title: WayTitle): Readonly<Record<string, string>> {
  if (typeof title === 'string') return { '': title };
  return { '': title['en'] ?? Object.values(title)[0] ?? '', ...title };
}

/** The picture with this file name. Undefined if no adapter that is on or draining shows it. */
export function findPicture(registry: Pick<Registry, 'all' | 'byName'>, file: string): Picture | undefined {
  for (const { name } of registry.all()) {
    const active = registry.byName(name);
    for (const { method } of active?.adapter.manifest.ways ?? []) {
      for (const sandbox of [false, true]) {
        const found = active && brandsOf(active, method, sandbox).find((brand) => pictureFile(brand) === file);
        if (found?.picture !== undefined) {
          const type = typeof found.picture === 'string' ? 'image/svg+xml' : 'image/png';
          return { type, bytes: Buffer.from(found.picture) };
        }
      }
    }
  }
  return undefined;
}
