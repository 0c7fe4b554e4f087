import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import { signatureOf } from '../wire.ts';
import coinServer from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(coinServer, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  otherAccount: { storeId: 'st_Other1' },
  routes: {
    'POST crypto': {
      sign(raw, { hookSecrets }) {
        const signature = `sha256=${signatureOf(hookSecrets[0] ?? '', raw.body).toString('hex')}`;
        return { ...raw, headers: [['X-Cr-Sig', signature]] };
      },
    },
  },
  sandbox: { create: createSandbox },
});
