import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { until } from '../../base/testing/until.ts';
import { aboutPayment, describeLogLine, isAtLeast } from './log-line.ts';
import { tailLog, type Tail } from './tail-log.ts';

const line = (msg: string, more: object = {}): string =>
  `${JSON.stringify({ level: 'info', time: '2026-11-23T18:28:03.000Z', process: 'worker-1-ef9becb2', pid: 7, msg, ...more })}\n`;

describe('tailLog', () => {
  let folder: string;
  let file: string;
  let running: { readonly stop: () => Promise<void> }[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-test-'));
    file = join(folder, 'gateway.log');
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map(async ({ stop }) => stop()));
    await rm(folder, { recursive: true });
  });

  function follow(more: Partial<Tail> = {}): string[] {
    const shown: string[] = [];
    const stopping = new AbortController();
    const done = tailLog({
      file,
      last: 2,
      withPutAside: false,
      isOnce: false,
      isWanted: () => true,
      pollMs: 5,
      show: (text, read) => void shown.push(read ? (read['msg'] as string) : text),
      signal: stopping.signal,
      ...more,
    });
    running.push({
      async stop() {
        stopping.abort();
        await done;
      },
    });
    return shown;
  }

  it('shows the last lines, then each new line as a whole', async () => {
    await writeFile(file, line('one') + line('two') + line('three'));
    const shown = follow();
    await until('the last two', () => shown.length === 2);
    const [half, rest] = [line('four').slice(0, 20), line('four').slice(20)];
    await appendFile(file, half);
    await appendFile(file, rest + line('five'));
    await until('the new lines', () => shown.length === 4);
    expect(shown).to.deep.equal(['two', 'three', 'four', 'five']);
  });

  it('continues in the new file after a rotation, and shows late lines of the rotated file', async () => {
    const shown = follow();
    await writeFile(file, line('one'));
    await until('the first', () => shown.length === 1);
    const aside = `${file}.2026-11-23T18-00-00.000Z`;
    await rename(file, aside);
    await writeFile(file, line('two'));
    await until('the second', () => shown.includes('two'));
    await appendFile(aside, line('late'));
    await until('the late one', () => shown.includes('late'));
    await appendFile(file, line('three'));
    await until('the third', () => shown.includes('three'));
    expect(shown.toSorted()).to.deep.equal(['late', 'one', 'three', 'two']);
  });

  it('starts again with a file that was truncated in place', async () => {
    await writeFile(file, line('a line that is longer than what comes after it'));
    const shown = follow();
    await until('the first', () => shown.length === 1);
    await writeFile(file, '');
    await appendFile(file, line('two'));
    await until('the second', () => shown.length === 2);
    expect(shown[1]).to.equal('two');
  });

  it('shows the lines of one payment, its alarms and its requests, including rotated files', async () => {
    const other = { paymentRequestId: 8, requestId: 'r-8' };
    await writeFile(
      `${file}.2026-11-22T18-00-00.000Z`,
      line('of before', { paymentRequestId: 7, requestId: 'r-7' }) + line('of another', other),
    );
    await writeFile(
      file,
      line('of its request', { requestId: 'r-7' }) +
        line('of another', other) +
        line('its alarm', { alarm: true, subject: 'payment 7' }) +
        line('an act', { subject: { type: 'payment', id: '7' } }) +
        line('as text', { paymentRequestId: '7' }) +
        'no JSON\n',
    );
    const shown: string[] = [];
    await tailLog({
      file,
      last: 100,
      withPutAside: true,
      isOnce: true,
      isWanted: aboutPayment(7),
      show: (text, read) => void shown.push(read ? (read['msg'] as string) : text),
      signal: new AbortController().signal,
    });
    expect(shown).to.deep.equal(['of before', 'of its request', 'its alarm', 'an act', 'as text', 'no JSON']);
  });

  it('formats a line as text with its members, and an error with its stack', () => {
    const read = JSON.parse(
      line('notification not delivered', { level: 'warn', status: null, host: 'a:9', note: 'x y' }),
    );
    expect(describeLogLine(read)).to.equal(
      '2026-11-23T18:28:03.000Z  WARN   worker-1    notification not delivered  host=a:9 note="x y"',
    );
    expect(describeLogLine(read, true)).to.include('\u001B[33mWARN \u001B[0m');
    const err = {
      type: 'Error',
      message: 'm',
      stack: 'Error: m\n    at f',
      code: 'E1',
      cause: { type: 'T', message: 'c' },
    };
    expect(
      describeLogLine({ ...read, err })
        .split('\n')
        .slice(1),
    ).to.deep.equal(['    Error: m', '    at f (E1)', '    T: c']);
    expect(isAtLeast(read, 'warn')).to.equal(true);
    expect(isAtLeast(read, 'error')).to.equal(false);
  });
});
