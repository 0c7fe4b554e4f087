import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import pino from 'pino';
import { holdTimers, type HeldTimers } from '../../base/testing/hold-timers.ts';
import type { Ctx } from '../state.ts';
import { createAccessLog } from './access-log.ts';

describe('the access log', () => {
  let lines: Record<string, unknown>[];
  let timers: HeldTimers;
  beforeEach(() => {
    lines = [];
    timers = holdTimers();
  });
  afterEach(() => timers.restore());

  /** Logs 100 requests with this answer. */
  async function logHundred(route: string, status: number, key?: object): Promise<void> {
    const log = createAccessLog(pino({}, { write: (line: string) => lines.push(JSON.parse(line) as never) }));
    const ctx = { method: 'GET', status, state: { requestId: 'r', route, key } } as unknown as Ctx;
    for (let n = 1; n <= 100; n += 1) await log(ctx, async () => undefined);
    timers.endAll();
  }

  for (const [route, status] of [
    ['/health', 200],
    ['/pay/:id', 303],
    ['/payment-requests', 401],
    ['/callbacks/provider', 503],
  ] as const) {
    it(`samples requests without a key: ${route}, answered ${status}`, async () => {
      await logHundred(route, status);
      expect(lines).to.have.length(21);
      expect(lines[0]).to.include({ route, status });
      expect(lines[20]).to.include({ kind: `${route} ${status}`, count: 100, unlogged: 80 });
    });
  }

  it('contains every request with a key', async () => {
    await logHundred('/payment-requests', 400, { keyId: 'key_1' });
    expect(lines).to.have.length(100);
    expect(lines[99]).to.include({ keyId: 'key_1' });
  });
});
