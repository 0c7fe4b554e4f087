/**
 * Messages that are most expensive to process before they are verified: a genuine one, grown in every way that its
 * format allows.
 */

/** Limits of a message. */
export interface MessageLimits {
  readonly bytes: number;
  /** Number of JSON values, if the message itself is JSON. */
  readonly values: number;
}

type Grow = (text: string, room: MessageLimits) => string[];

/** Messages as large as the limits allow, or slightly smaller. */
export function growMessage(text: string, room: MessageLimits): string[] {
  const grown = growAs(text)(text, room);
  return grown.filter((one) => Buffer.byteLength(one) <= room.bytes);
}

function growAs(text: string): Grow {
  if (text.startsWith('<')) return growXml;
  if (messageOf(text) !== undefined) return growJson;
  if (messageOf(fromBase64(text)) !== undefined) return growBase64;
  return /^[^=&]+=/.test(text) ? growForm : (short, { bytes }) => [short + 'A'.repeat(bytes - short.length)];
}

function messageOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function fromBase64(text: string): string {
  return /^[\w+/=-]+$/.test(text) ? Buffer.from(text, 'base64url').toString() : '';
}

/** JSON values with this many bytes. */
const jsonFillings: readonly ((room: MessageLimits) => string)[] = [
  ({ bytes, values }) => `[${'[],'.repeat(Math.min(bytes / 3, values) - 3)}[]]`,
  ({ bytes, values }) => `[${'1,'.repeat(Math.min(bytes / 2, values) - 3)}1]`,
  ({ bytes, values }) => {
    // Each object has as many members as one object may have.
    const room = names(Math.min(bytes / 10, values) - 20);
    const objects = Array.from({ length: Math.ceil(room.length / 9999) }, (_, at) =>
      room.slice(at * 9999, (at + 1) * 9999),
    );
    return `[${objects.map((some) => `{${some.map((name) => `"${name}":0`).join()}}`).join()}]`;
  },
  ({ bytes, values }) => nested('[', ']', Math.min(bytes / 2, values) - 3),
  // A long name above many values, for code that writes each value with its path.
  ({ bytes, values }) => `{"${'n'.repeat(bytes / 2)}":[${'1,'.repeat(Math.min(bytes / 4, values) - 4)}1]}`,
  ({ bytes }) => `"${'x'.repeat(bytes - 2)}"`,
  ({ bytes }) => `"${':;'.repeat((bytes - 2) / 2)}"`,
  ({ bytes }) => `"${'\\u00e9'.repeat((bytes - 2) / 6)}"`,
  ({ bytes }) => '1'.repeat(bytes),
];

function names(count: number): string[] {
  return Array.from({ length: count }, (_, at) => at.toString(36));
}

function nested(opening: string, closing: string, depth: number): string {
  return opening.repeat(depth) + closing.repeat(depth);
}

function growJson(text: string, { bytes, values }: MessageLimits): string[] {
  const start = `${text.trimEnd().slice(0, -1)},${text.startsWith('[') ? '' : '"more":'}`;
  const closing = text.trimEnd().slice(-1);
  // The message itself contains few values: a hundred at most.
  const room = { bytes: bytes - Buffer.byteLength(start) - 1, values: values - 100 };
  const message = messageOf(text)!;
  return [
    ...jsonFillings.map((fill) => start + fill(room) + closing),
    ...repeatFirstList(message, { bytes, values }),
    ...growMembers(Object.entries(message), bytes, (members) => JSON.stringify(Object.fromEntries(members))),
  ];
}

/** Repeats the parts of a batch, as many as fit. */
function repeatFirstList(message: object, { bytes, values }: MessageLimits): string[] {
  const parts = firstList(message);
  if (!parts) return [];
  const part = JSON.stringify(parts[0]);
  const count = Math.min(
    (bytes - JSON.stringify(message).length) / (part.length + 1),
    values / countValues(parts[0]) - 5,
  );
  const more = Array<unknown>(Math.max(0, Math.floor(count))).fill(parts[0]);
  return [JSON.stringify(message, (_, value: unknown) => (value === parts ? [...parts, ...more] : value))];
}

function firstList(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && value.length > 0) return value;
  return Object.values(value).map(firstList).find(Boolean);
}

function countValues(value: unknown): number {
  const held = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return held.reduce<number>((sum, one) => sum + countValues(one), 1);
}

function growBase64(text: string, { bytes }: MessageLimits): string[] {
  const inner = Math.floor((bytes * 3) / 4) - 3;
  // The values inside are not counted against the limit.
  return growMessage(fromBase64(text), { bytes: inner, values: inner }).map((one) =>
    Buffer.from(one).toString('base64url'),
  );
}

function growForm(text: string, { bytes }: MessageLimits): string[] {
  const left = bytes - Buffer.byteLength(text);
  const pairs = text.split('&').map((pair) => pair.split('=') as [string, string?]);
  const decoded = pairs.map(([name, value = '']) => [name, decodeURIComponent(value)] as const);
  const write = (members: Members): string =>
    members.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  return [
    `${text}${names(left / 7)
      .map((name) => `&${name}=0`)
      .join('')}`,
    `${text}${'&a=%41'.repeat(left / 6)}`,
    `${text}&a=${'%41'.repeat(left / 3 - 1)}`,
    ...growMembers(decoded, bytes, write),
  ];
}

type Members = readonly (readonly [name: string, value: unknown])[];

/** Each text member, grown on its own. Encoded, it may take up to three times as much. */
function growMembers(members: Members, bytes: number, write: (members: Members) => string): string[] {
  return members.flatMap(([name, value]) => {
    if (typeof value !== 'string' || value === '') return [];
    const left = bytes - Buffer.byteLength(write(members)) + value.length;
    return [1, 1 / 3].flatMap((part) => {
      const inner = Math.floor(left * part) - 8;
      if (inner <= value.length) return [];
      return growMessage(value, { bytes: inner, values: inner }).map((one) =>
        write(members.map((member) => (member[0] === name ? ([name, one] as const) : member))),
      );
    });
  });
}

function growXml(text: string, { bytes }: MessageLimits): string[] {
  const end = text.lastIndexOf('</');
  const left = bytes - Buffer.byteLength(text);
  const [, head = '', inner = '', tail = ''] = /^(.*?<[^?!][^>]*>)(.*)(<\/[^<]*)$/s.exec(text) ?? [];
  return [
    ...[
      '<a/>'.repeat(left / 4),
      '<a b="c"></a>'.repeat(left / 13),
      nested('<a>', '</a>', left / 7),
      `<a ${names(left / 9)
        .map((name) => `_${name}=""`)
        .join(' ')}/>`,
      'x'.repeat(left),
      '&amp;'.repeat(left / 5),
    ].map((filling) => text.slice(0, end) + filling + text.slice(end)),
    head + inner.repeat(1 + left / inner.length) + tail,
  ];
}
