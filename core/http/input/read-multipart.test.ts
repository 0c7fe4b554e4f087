import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { expectRefusal } from '../../engine/access/testing/expect-refusal.ts';
import { readMultipart, type MultipartForm } from './read-multipart.ts';

const limit = 1000;

async function readOf(body: string | Buffer, type?: string): Promise<MultipartForm | undefined> {
  const request = Object.assign(Readable.from([Buffer.from(body)]), { headers: { 'content-type': type } });
  return readMultipart(request as unknown as IncomingMessage, limit);
}

const type = 'multipart/form-data; boundary=----x';
const part = (name: string, value: string, more = ''): string =>
  `------x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const end = '------x--\r\n';

describe('readMultipart', () => {
  it('returns the fields, and the files byte for byte', async () => {
    const bytes = Buffer.from('\x89PNG\r\n\r\n------y\0\xff', 'latin1');
    const [before = '', after = ''] = part('logo', '#', '; filename="a.png"\r\nContent-Type: text/html').split('#');
    const body = Buffer.concat([
      Buffer.from(part('name', ' Zoë ') + part('empty', '', '; filename=""') + before),
      bytes,
      Buffer.from(after + end),
    ]);
    const form = await readOf(body, type);
    expect(form?.fields).to.deep.equal({ name: 'Zoë' });
    expect(Object.keys(form?.files ?? {})).to.deep.equal(['logo']);
    expect(Buffer.from(form?.files['logo'] ?? []).equals(bytes)).to.equal(true);
  });

  it('returns undefined for another type, and without the end or the boundary', async () => {
    const whole = part('name', 'x') + end;
    for (const [body, given] of [
      [whole, undefined],
      [whole, 'application/x-www-form-urlencoded'],
      [whole, 'multipart/form-data'],
      [whole, 'multipart/form-data; boundary=other'],
      [part('name', 'x'), type],
      ['', type],
    ] as const)
      expect(await readOf(body, given), `${given} ${body.length}`).to.equal(undefined);
  });

  it('refuses a form above its limit', async () => {
    await expectRefusal('PAYLOAD_TOO_LARGE', () => readOf(part('name', 'x'.repeat(limit)) + end, type));
  });
});
