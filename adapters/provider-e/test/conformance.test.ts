import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import providerE from '../index.ts';
import createSandbox from '../sandbox/index.ts';

/** The claims of a token, whose MAC covers the time. */
function claimsIn(body: string): string | undefined {
  const [, claims] = /^\{"token":"[\w-]+\.([\w-]+)\./.exec(body) ?? [];
  return claims === undefined ? undefined : Buffer.from(claims, 'base64url').toString();
}

describeAdapter(providerE, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { account: 'SOMEONE' },
  freshMembers: ['iat'],
  readable: ({ body = '' }) => claimsIn(String(body)) ?? String(body),
  // Only the password authenticates a notice: core compares its content with the payment.
  routes: { 'POST providerE': { notCovered: 'all' } },
  sandbox: {
    create: createSandbox,
    // Only its h2h interface asks for a member code.
    step: { payment: { isH2h: true, number: '4000000000003246' } },
    code: '246810',
  },
});
