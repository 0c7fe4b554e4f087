/** Copies a message's content and replaces one text wherever it occurs: in texts, bytes, lists, records and maps. */
export function replaceText(value: unknown, from: string, to: string): unknown {
  const replaced = (text: string): string => text.replaceAll(from, to);
  return mapTexts(value, replaced, replaced);
}

/** Copies a message's content with each text changed, and the names of maps with `changeName`. */
export function mapTexts(
  value: unknown,
  change: (text: string) => string,
  changeName: (name: string) => string = (name) => name,
): unknown {
  const copied = (one: unknown): unknown => mapTexts(one, change, changeName);
  if (typeof value === 'string') return change(value);
  if (value instanceof Uint8Array) return Buffer.from(change(Buffer.from(value).toString('latin1')), 'latin1');
  if (Array.isArray(value)) return value.map(copied);
  if (value instanceof Map) return new Map([...value].map(([name, one]) => [mapTexts(name, changeName), copied(one)]));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one)]));
}

/** False for instances of a class: a number with its spelling, a date. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
