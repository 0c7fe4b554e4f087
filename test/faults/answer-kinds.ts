/** Kinds of provider answers that do not reveal whether money moved. `truth` is what an honest answer would say. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

export interface Truth {
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly state: string;
}

export interface AnswerKind {
  readonly name: string;
  /** Where the request fails. A request that did not reach the provider has certainly moved no money. */
  readonly at: 'refused connection' | 'reset before the request' | 'answer';
  readonly answer: (response: ServerResponse, truth: Truth) => void;
}

type Answer = AnswerKind['answer'];

const json = (truth: unknown): string => JSON.stringify(truth);

function kind(name: string, answer: Answer): AnswerKind {
  return { name, at: 'answer', answer };
}

const withStatus = (status: number): AnswerKind =>
  kind(String(status), (response) => {
    const body = '<html><body>Something is not as it should be.</body></html>';
    response.writeHead(status, { 'Content-Type': 'text/html', Location: '/elsewhere' }).end(status > 304 ? body : '');
  });

const withBody = (name: string, bodyOf: (truth: Truth) => string | Buffer, headers = {}): AnswerKind =>
  kind(name, (response, truth) => {
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(bodyOf(truth));
  });

/** Writes to the connection directly. */
const raw = (name: string, textOf: (body: string) => string, end: 'end' | 'stay' = 'end'): AnswerKind =>
  kind(name, ({ socket }, truth) => {
    socket?.write(textOf(json(truth)));
    if (end === 'end') socket?.end();
  });

const head = (length: number): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

const unused: Answer = () => undefined;

export const answerKinds: readonly AnswerKind[] = [
  { name: 'a refused connection', at: 'refused connection', answer: unused },
  { name: 'a reset before the request', at: 'reset before the request', answer: unused },
  kind('a reset after the request', ({ socket }) => socket?.resetAndDestroy()),
  kind('an end after the request', ({ socket }) => socket?.end()),
  kind('nothing', unused),
  raw('a response head and nothing more', (body) => head(body.length), 'stay'),
  kind('a body that drips', (response, truth) => {
    const left = json(truth).split('');
    const timer = setInterval(() => (left.length ? response.write(left.shift()) : response.end()), 500);
    response.on('close', () => clearInterval(timer));
  }),
  raw('a truncated body', (body) => head(body.length) + body.slice(0, -5)),
  raw('a length that is too small', (body) => head(body.length - 5) + body),
  raw('a truncated chunk', (body) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n${body}`),
  raw('a length in addition to chunks', (body) =>
    head(body.length).replace('\r\n\r\n', `\r\nTransfer-Encoding: chunked\r\n\r\n${body}`),
  ),
  raw('a protocol other than HTTP', (body) => `${body}\r\n\r\n`),
  raw('endless informational responses', () => 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20), 'stay'),
  raw('another protocol', () => 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  ...[204, 302, 304, 400, 401, 403, 409, 422, 429, 500, 502, 503, 504].map(withStatus),
  withBody('a page with status 200', () => '<html><body>Maintenance</body></html>', { 'Content-Type': 'text/html' }),
  withBody('an empty body', () => ''),
  withBody('null', () => 'null'),
  withBody('a list', (truth) => json([truth])),
  withBody('more than a mebibyte', (truth) => json(truth) + ' '.repeat(1_100_000)),
  withBody('UTF-16', (truth) => Buffer.from(`\uFEFF${json(truth)}`, 'utf16le')),
  withBody('bytes that are not UTF-8', (truth) => Buffer.from(json({ ...truth, note: 'é' }), 'latin1')),
  withBody('members with wrong types', (truth) => json({ ...truth, state: true, amount: Number(truth.amount) })),
  withBody('no state', (truth) => json({ ...truth, state: undefined })),
  withBody('a duplicate member', (truth) => json(truth).replace('{', '{"state":"failed",')),
  withBody('text after the JSON', (truth) => `${json(truth)}{}`),
  withBody('JSON of a thousand levels', (truth) =>
    json(truth).replace('}', `,"x":${'['.repeat(1000)}${']'.repeat(1000)}}`),
  ),
  withBody('a gzip bomb', () => gzipSync(Buffer.alloc(50_000_000)), { 'Content-Encoding': 'gzip' }),
  withBody('another reference', (truth) => json({ ...truth, reference: 'GW-1-1' })),
  withBody('another amount', (truth) => json({ ...truth, amount: '1.00' })),
  withBody('another currency', (truth) => json({ ...truth, currency: 'USD' })),
];
