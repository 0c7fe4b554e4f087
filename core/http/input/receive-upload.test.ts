import { readdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { GatewayError } from '../../base/errors.ts';
import { expectRefusal } from '../../engine/access/testing/expect-refusal.ts';
import { receiveUpload, type ReceivedUpload } from './receive-upload.ts';

const limit = 200_000;
const type = 'multipart/form-data; boundary=----x';
const end = '------x--\r\n';
const part = (name: string, value: string, more = ''): string =>
  `------x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

function requestOf(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, contentType = type): IncomingMessage {
  const request = Object.assign(Readable.from(chunks, { objectMode: true }), {
    headers: { 'content-type': contentType },
  });
  return request as unknown as IncomingMessage;
}

const receive = async (body: string | Buffer, contentType?: string): Promise<ReceivedUpload | undefined> =>
  receiveUpload(requestOf([Buffer.from(body)], contentType), 'file', limit);

/** The content of the file, whose handle is closed. */
async function contentOf({ file }: ReceivedUpload): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const chunk of file!.handle.createReadStream({ start: 0, autoClose: false })) read.push(chunk as Buffer);
  await file!.handle.close();
  return Buffer.concat(read);
}

describe('receiveUpload', () => {
  it('writes the file byte for byte and reads the fields, however the body is cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
        async (bytes, sizes) => {
          const form = new FormData();
          form.set('formToken', ' secret ');
          form.set('file', new Blob([new Uint8Array(bytes), '\r\n------', '\r\n--']), 'C:\\paid\\march.csv');
          form.set('mapping', new Blob(['columns: {}\n']), 'map.yaml');
          const encoded = new Response(form);
          const body = Buffer.from(await encoded.arrayBuffer());
          function* chunks(): Generator<Buffer> {
            for (let [at, n] = [0, 0]; at < body.length; n += 1) {
              const size = sizes[n % sizes.length]!;
              yield body.subarray(at, at + size);
              at += size;
            }
          }
          const received = await receiveUpload(
            requestOf(chunks(), encoded.headers.get('content-type')!),
            'file',
            limit,
          );
          expect(received?.fields).to.deep.equal({ formToken: 'secret', mapping: 'columns: {}' });
          expect(received?.file?.name).to.equal('march.csv');
          const whole = Buffer.concat([bytes, Buffer.from('\r\n------\r\n--')]);
          expect(received?.file?.bytes).to.equal(whole.length);
          expect((await contentOf(received!)).equals(whole)).to.equal(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('leaves no file on disk', async () => {
    const files = async (): Promise<string[]> =>
      (await readdir(tmpdir())).filter((name) => name.startsWith('paywright-upload-'));
    const received = await receive(part('file', 'a,b', '; filename="a.csv"') + end);
    expect(await files()).to.deep.equal([]);
    expect((await contentOf(received!)).toString()).to.equal('a,b');
  });

  it('has no file if none was chosen, and no form for another type', async () => {
    const received = await receive(part('file', '', '; filename=""') + part('x', '1') + end);
    expect(received).to.deep.equal({ fields: { x: '1' } });
    for (const other of ['application/json', 'multipart/form-data', 'text/plain; boundary=----x'])
      expect(await receive(part('x', '1') + end, other), other).to.equal(undefined);
  });

  it('refuses several files for one field, and leaves none of them open', async () => {
    const file = (name: string): string => part('file', 'a,b', `; filename="${name}"`);
    const { message, details } = await expectRefusal('INVALID_FORMAT', async () =>
      receive(file('march.csv') + file('april.csv') + end),
    );
    expect([message, details['field']]).to.deep.equal(['file: choose only one file', 'file']);
    const first = await receive(file('march.csv') + part('file', '', '; filename=""') + end);
    expect((await contentOf(first!)).toString()).to.equal('a,b');
  });

  it('refuses a body or fields above their limits, and a body that is no complete form', async () => {
    const file = '; filename="a.csv"';
    await expectRefusal('PAYLOAD_TOO_LARGE', async () => receive(part('file', 'x'.repeat(limit), file) + end));
    await expectRefusal('PAYLOAD_TOO_LARGE', async () => receive(part('text', 'x'.repeat(70_000)) + end));
    for (const body of [
      part('file', 'x', file),
      `------x\r\nContent-Type: text/plain\r\n\r\nx\r\n${end}`,
      `------xx\r\n\r\n${end}`,
      `------x\r\n${'X: y\r\n'.repeat(1000)}`,
      '',
    ]) {
      const { message } = await expectRefusal('INVALID_FORMAT', async () => receive(body));
      expect(message, body.slice(0, 40)).to.equal('body: is not a complete form');
    }
  });

  it('refuses a body whose sender disconnects', async () => {
    async function* cut(): AsyncGenerator<Buffer> {
      yield Buffer.from(part('file', 'x', '; filename="a.csv"'));
      throw new Error('aborted');
    }
    const error: unknown = await receiveUpload(requestOf(cut()), 'file', limit).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(GatewayError);
    expect((error as GatewayError).message).to.equal('body: did not arrive completely');
  });
});
