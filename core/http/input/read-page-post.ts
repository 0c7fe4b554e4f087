/** What a payer filled in on a page of ours, as a browser posts it. */
import type { IncomingMessage } from 'node:http';
import { readForm } from '@paywright/contract';
import { readRaw } from './read-raw.ts';

/** By field, without spaces around; undefined where the body is no form. Throws REQ001. */
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
