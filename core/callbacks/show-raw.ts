/** A callback as it arrived, for the eyes of an operator: without signatures, secrets, tokens and card numbers. */
import type { RawCallback } from '@gateway/contract';
import { hideSensitive, maskText } from '../log-masks.ts';

export interface ShownRaw {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: readonly (readonly [string, string])[];
  /** As text. */
  readonly body: string;
}

const hidden = '[hidden]';
/** Names of headers and members that prove something. */
const proves = /authorization|cookie|signature|sign?$|secret|token|key$|mac$|hash|digest|check(sum)?$|password/i;
/** More than this is cut. */
const longestBody = 20_000;

export function showRaw({ method, path, query, headers, body }: RawCallback): ShownRaw {
  return {
    method,
    path,
    query: maskText(showForm(query)),
    headers: headers.map(([name, value]) => [name, proves.test(name) ? hidden : maskText(value)]),
    body: maskText(showBody(Buffer.from(body).toString('utf8'))).slice(0, longestBody),
  };
}

function showBody(text: string): string {
  const json = readJson(text);
  if (json !== undefined) return JSON.stringify(hide(json));
  if (/^\s*</.test(text)) return showXml(text);
  return /^[^\s=&]+=/.test(text) ? showForm(text) : text;
}

function readJson(text: string): object | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? read : undefined;
  } catch {
    return undefined; // Another form.
  }
}

function hide(value: object): unknown {
  const { whole } = hideSensitive({ whole: hideProofs(value) });
  return whole;
}

function hideProofs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideProofs);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      return [name, proves.test(name) && typeof member !== 'object' ? hidden : hideProofs(member)];
    }),
  );
}

/** Names and values stay as they are spelled. */
function showForm(text: string): string {
  return text
    .split('&')
    .map((pair) => {
      const [name = '', value] = pair.split(/=(.*)/s);
      return value === undefined || !isHidden(decode(name), value) ? pair : `${name}=${hidden}`;
    })
    .join('&');
}

function showXml(text: string): string {
  return text
    .replaceAll(/<([\w:.-]+)([^<>]*)>([^<]+)</g, (whole: string, name: string, attributes: string, value: string) =>
      isHidden(name.replace(/^.*:/, ''), value) ? `<${name}${attributes}>${hidden}<` : whole,
    )
    .replaceAll(/([\w:.-]+)="([^"]*)"/g, (whole: string, name: string, value: string) =>
      isHidden(name.replace(/^.*:/, ''), value) ? `${name}="${hidden}"` : whole,
    );
}

function isHidden(name: string, value: string): boolean {
  return proves.test(name) || hideSensitive({ [name]: value })[name] === hidden;
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // As it is spelled.
  }
}
