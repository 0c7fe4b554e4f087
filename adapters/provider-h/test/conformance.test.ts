import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import providerH from '../index.ts';
import { canonicalText, digestOf } from '../signing.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(providerH, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  otherAccount: { merchantNo: 'M-7300499' },
  facts: (_kind, providerStatus) => ({ facts: { received: providerStatus === 'over' ? 'more' : 'equal' } }),
  // The canonical text is signed, so spaces outside strings change nothing.
  routes: {
    'POST providerH': {
      sign(raw, { ipnSecrets }) {
        const digest = digestOf(ipnSecrets[0] ?? '', canonicalText(Buffer.from(raw.body).toString())).toString('hex');
        const others = raw.headers.filter(([name]) => name !== 'X-H-Digest');
        return { ...raw, headers: [...others, ['X-H-Digest', digest]] };
      },
    },
  },
  sandbox: { create: createSandbox },
});
