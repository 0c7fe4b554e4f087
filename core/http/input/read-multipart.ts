/** Reads a form with files, as a browser posts it (RFC 7578). */
import type { IncomingMessage } from 'node:http';
import { readRaw } from './read-raw.ts';

export interface MultipartForm {
  /** Values by field, with surrounding spaces removed. */
  readonly fields: Readonly<Record<string, string>>;
  /** Contents by field. A field without a chosen file is absent. The file's name and declared type are ignored. */
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/** Checks the size of the whole body before parsing it. Undefined if the body is not a form. Throws REQ001. */
export async function readMultipart(request: IncomingMessage, limitBytes: number): Promise<MultipartForm | undefined> {
  const type = request.headers['content-type'] ?? '';
  const body = await readRaw(request, limitBytes);
  if (!/^multipart\/form-data\s*;/i.test(type)) return undefined;
  const parts = await partsOf(type, body);
  if (!parts) return undefined;
  const fields: [string, string][] = [];
  const files: [string, Uint8Array][] = [];
  for (const [name, value] of parts) {
    if (typeof value === 'string') fields.push([name, value.trim()]);
    else if (value.size > 0) files.push([name, new Uint8Array(await value.arrayBuffer())]);
  }
  return { fields: Object.fromEntries(fields), files: Object.fromEntries(files) };
}

async function partsOf(type: string, body: Buffer): Promise<FormData | undefined> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData();
  } catch {
    return undefined; // The body is not of the type that it declares.
  }
}
