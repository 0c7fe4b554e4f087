import { readJsonObject, type HttpReply } from '@paywright/contract';
import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import providerE from '../index.ts';
import type { Options } from '../options.ts';
import createSandbox from '../sandbox/index.ts';
import { macOf } from '../signing.ts';

/** E does not sign its answers in XML, nor errors. */
function signAnswer(reply: HttpReply, { h2hKeys }: Options): HttpReply {
  const token = readJsonObject(reply.body)?.['token'];
  if (typeof token !== 'string') return reply;
  const [head = '', claims = ''] = token.split('.');
  const kid = readJsonObject(Buffer.from(head, 'base64url'))?.['kid'];
  const key = h2hKeys.find((one) => one.kid === kid) ?? h2hKeys[0]!;
  const mac = macOf(key, `${head}.${claims}`).toString('base64url');
  return { ...reply, body: Buffer.from(JSON.stringify({ token: `${head}.${claims}.${mac}` })) };
}

/** The claims of a token, whose MAC covers the time. */
function claimsIn(body: string): string | undefined {
  const [, claims] = /^\{"token":"[\w-]+\.([\w-]+)\./.exec(body) ?? [];
  return claims === undefined ? undefined : Buffer.from(claims, 'base64url').toString();
}

describeAdapter(providerE, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { account: 'SOMEONE' },
  signedAnswers: { complete: {} },
  signAnswer,
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
