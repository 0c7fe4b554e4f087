import type { Action } from '@paywright/contract';
import { describeAdapter, fixtureText, packageText, visitPage } from '@paywright/contract/testing';
import wechatPay from '../index.ts';
import createSandbox, { signAnswer, signCallback } from '../sandbox/index.ts';
import { pageOf } from './messages.ts';

/** Opens the page of H5, or the page of a code at the sandbox, and pays. */
const pays = (action: Action, sandboxUrl: string) => visitPage(pageOf(action, sandboxUrl), 'pay');

describeAdapter(wechatPay, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  readme: packageText(import.meta.url, 'README.md'),
  otherAccount: { mchid: '1230000110' },
  // The answer to an order holds a code or an address, and a closed order has no body.
  answersAreNameless: ['submit', 'close'],
  answersNameNoMoney: ['submit', 'close'],
  signedAnswers: {
    submit: { signedByKeyPair: true },
    fetchStatus: { signedByKeyPair: true },
    refund: { signedByKeyPair: true },
    close: { signedByKeyPair: true },
  },
  signAnswer,
  freshHeaders: ['Authorization'],
  // The end of the time to pay.
  freshMembers: ['time_expire'],
  routes: { 'POST wechat-pay': { sign: signCallback } },
  sandbox: { create: createSandbox, open: { payment: { amount: '25.63' }, payer: pays } },
});
