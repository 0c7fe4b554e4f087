/** Copies a message's content and replaces one text wherever it occurs: in texts, bytes, lists, records and maps. */
export function replaceText(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string') return value.replaceAll(from, to);
  if (value instanceof Uint8Array)
    return Buffer.from(Buffer.from(value).toString('latin1').replaceAll(from, to), 'latin1');
  if (Array.isArray(value)) return value.map((one) => replaceText(one, from, to));
  if (value instanceof Map)
    return new Map([...value].map(([name, one]) => [replaceText(name, from, to), replaceText(one, from, to)]));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaceText(one, from, to)]));
}

/** False for instances of a class: a number with its spelling, a date. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
