import { stringifyExact } from '@paywright/contract';
import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import upi from '../index.ts';
import createSandbox from '../sandbox/index.ts';
import { openBlob, readBlob, toCheck } from '../wire.ts';

describeAdapter(upi, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { merchantId: 'MID9999' },
  // The check covers the blob, which names the time.
  freshHeaders: ['X-U-Check'],
  freshMembers: ['at'],
  readable: ({ body = '' }) => stringifyExact(openBlob(readBlob(Buffer.from(body)) ?? '') ?? {}),
  // Only the blob is signed: spaces around it in the body change nothing.
  routes: {
    'POST upi': {
      sign(raw, { salts, saltIndex }) {
        const check = toCheck(readBlob(raw.body) ?? '', saltIndex, salts[saltIndex] ?? '');
        return { ...raw, headers: [...raw.headers.filter(([name]) => name !== 'X-U-Check'), ['X-U-Check', check]] };
      },
    },
  },
  sandbox: { create: createSandbox },
});
