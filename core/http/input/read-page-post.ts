/** Reads what a payer filled in on one of our pages, as a browser posts it. */
import type { IncomingMessage } from 'node:http';
import { readForm } from '@paywright/contract';
import { readRaw } from './read-raw.ts';

/** Values by field, with surrounding spaces removed. Undefined if the body is not a form. Throws REQ001. */
export async function readPagePost(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Readonly<Record<string, string>> | undefined> {
  const body = await readRaw(request, limitBytes);
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  const form = readForm({ headers, body });
  return form && Object.fromEntries([...form].map(([name, value]) => [name, value.trim()]));
}
