/**
 * Receives a form with a large file, which is written to disk while it arrives. The file has no name on disk: it is
 * gone as soon as its handle is closed, also if the process dies.
 */
import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invalidField } from '../../base/errors.ts';
import { checkDeclaredSize, discardBody, tooLarge } from './read-raw.ts';

export interface ReceivedUpload {
  /** Values by field, with surrounding spaces removed. Another file of the form is a field with its text. */
  readonly fields: Readonly<Record<string, string>>;
  /** Undefined: no file was chosen. The receiver closes its handle. */
  readonly file?: ReceivedFile;
}

export interface ReceivedFile {
  /** As the sender named it, without folders. */
  readonly name: string;
  readonly bytes: number;
  readonly handle: FileHandle;
}

/** All fields except the large file together. */
const fieldLimitBytes = 65_536;
const headLimitBytes = 4096;
const longestName = 120;

/**
 * `field` is the field of the large file. Undefined if the body is not a form. Throws REQ001 for a body above the
 * limit, VAL002 `body` for one that does not arrive completely, and VAL002 for a field with several files.
 */
export async function receiveUpload(
  request: IncomingMessage,
  field: string,
  limitBytes: number,
): Promise<ReceivedUpload | undefined> {
  checkDeclaredSize(request, limitBytes);
  const [, quoted, plain] =
    /^multipart\/form-data\s*;.*\bboundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(
      request.headers['content-type'] ?? '',
    ) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) {
    request.resume();
    return undefined;
  }
  const form = createForm(request, field);
  let bytes = 0;
  async function* limited(): AsyncGenerator<Buffer> {
    const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > limitBytes) throw tooLarge(request, limitBytes);
      yield chunk;
    }
  }
  try {
    for await (const part of readParts(limited(), boundary)) await form.take(part);
    return form.end();
  } catch (error) {
    await form.discard();
    if (error instanceof SeveralFiles) {
      discardBody(request);
      throw invalidField(field, null, 'choose only one file');
    }
    if (request.errored) throw invalidField('body', null, 'did not arrive completely');
    if (!(error instanceof MalformedForm)) throw error;
    request.resume();
    throw invalidField('body', null, 'is not a complete form');
  }
}

interface Form {
  take(part: Part): Promise<void>;
  end(): ReceivedUpload;
  discard(): Promise<void>;
}

function createForm(request: IncomingMessage, field: string): Form {
  const fields = new Map<string, Buffer[]>();
  let fieldBytes = 0;
  let current: { readonly name: string; readonly isFile: boolean } | undefined;
  let file: { readonly name: string; readonly handle: FileHandle; bytes: number } | undefined;

  async function begin(head: string): Promise<void> {
    const { name, fileName } = readHead(head);
    const isFile = name === field && fileName !== undefined;
    current = isFile && fileName === '' ? undefined : { name, isFile };
    if (!current) return;
    if (isFile && file) throw new SeveralFiles();
    if (isFile) file = { name: fileName, handle: await openUnnamed(), bytes: 0 };
    if (!isFile && !fields.has(name)) fields.set(name, []);
  }

  return {
    async take(part) {
      if ('head' in part) return begin(part.head);
      if (!current) return;
      const { data } = part;
      if (current.isFile) {
        await file!.handle.writeFile(data);
        file!.bytes += data.length;
        return;
      }
      fieldBytes += data.length;
      if (fieldBytes > fieldLimitBytes) throw tooLarge(request, fieldLimitBytes);
      fields.get(current.name)!.push(Buffer.from(data));
    },
    end: () => ({
      fields: Object.fromEntries([...fields].map(([name, parts]) => [name, Buffer.concat(parts).toString().trim()])),
      ...(file && { file }),
    }),
    async discard() {
      await file?.handle.close();
    },
  };
}

async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `paywright-upload-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

/** `fileName` is empty if the sender chose no file, and undefined for a field that is no file. */
function readHead(head: string): { readonly name: string; readonly fileName: string | undefined } {
  const [, line = ''] = /^content-disposition:([^\r\n]*)/im.exec(head) ?? [];
  const [, name] = /[;\s]name="([^"]*)"/i.exec(line) ?? [];
  if (name === undefined) throw new MalformedForm();
  const [, given] = /[;\s]filename="([^"]*)"/i.exec(line) ?? [];
  const plain = given?.replaceAll(/\p{C}/gu, '').split(/[/\\]/).at(-1)?.slice(-longestName);
  return { name, fileName: plain };
}

/** The form has more than one large file: joined, they would be read as one. */
class SeveralFiles extends Error {
  override readonly name = 'SeveralFiles';
}

/** The body is not of the form that its type declares. */
class MalformedForm extends Error {
  override readonly name = 'MalformedForm';
}

/** The headers of a part, followed by its content in pieces. */
type Part = { readonly head: string } | { readonly data: Buffer };

/** Splits a body at its boundary (RFC 2046, section 5.1.1), with at most one chunk in memory. */
async function* readParts(chunks: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<Part> {
  const mark = Buffer.from(`\r\n--${boundary}`);
  // A line end is added in front, so that the first mark is found like the others.
  let rest: Buffer = Buffer.from('\r\n');
  let state = 'before' as 'before' | 'mark' | 'head' | 'data' | 'end';

  function* advance(): Generator<Part, boolean> {
    if (state === 'end') {
      rest = Buffer.alloc(0);
      return false;
    }
    if (state === 'mark') {
      if (rest.length < 2) return false;
      const next = rest.toString('latin1', 0, 2);
      if (next !== '--' && next !== '\r\n') throw new MalformedForm();
      state = next === '--' ? 'end' : 'head';
      rest = rest.subarray(2);
      return true;
    }
    if (state === 'head') {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0 && rest.length > headLimitBytes) throw new MalformedForm();
      if (end < 0) return false;
      yield { head: rest.toString('utf8', 0, end) };
      // The line end before the next mark may follow immediately.
      rest = rest.subarray(end + 4);
      state = 'data';
      return true;
    }
    const at = rest.indexOf(mark);
    // The end of the chunk may be the beginning of a mark.
    const end = at < 0 ? Math.max(0, rest.length - mark.length + 1) : at;
    if (state === 'data' && end > 0) yield { data: rest.subarray(0, end) };
    rest = rest.subarray(at < 0 ? end : at + mark.length);
    if (at >= 0) state = 'mark';
    return at >= 0;
  }

  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (yield* advance());
  }
  if (state !== 'end') throw new MalformedForm();
}
