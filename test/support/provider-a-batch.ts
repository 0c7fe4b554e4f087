/** Callbacks with provider A's signatures, for tests that must send what its sandbox would not. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './start-gateway.ts';

interface Entry {
  readonly txn: string;
  readonly ref: string;
  readonly what: string;
  readonly good?: 'true' | 'false';
  readonly minor?: number;
  readonly cur?: string;
  readonly acct?: string;
}

const { options } = JSON.parse(readFileSync(join(root, 'adapters/provider-a/fixtures/vectors.json'), 'utf8')) as {
  options: { account: string; itemKeys: string[] };
};

/** The body of the batch. `key` selects the item key: 0 the current one, 1 the previous one. */
export function batchOf(entries: readonly Entry[], key = 0): string {
  return JSON.stringify({
    mode: 'test',
    batchNo: 1,
    entries: entries.map(({ txn, ref, what, good = 'true', minor = 2590, cur = 'EUR', acct = options.account }) => {
      const canonical = [txn, '', acct, ref, String(minor), cur, what, good].join('~');
      const mac = createHmac('sha256', Buffer.from(options.itemKeys[key] ?? '00', 'hex'))
        .update(canonical)
        .digest('base64');
      return {
        entry: {
          txn,
          parent: null,
          acct,
          ref,
          sum: { minor, cur },
          what,
          good,
          at: '2026-03-02T10:15:30Z',
          why: null,
          mac,
        },
      };
    }),
  });
}

export async function sendBatch(url: string, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/callbacks/providerA`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json' },
    signal: AbortSignal.timeout(10_000),
  });
  return { status: response.status, text: await response.text() };
}
