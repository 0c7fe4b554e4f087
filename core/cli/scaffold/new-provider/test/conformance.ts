import { describeAdapter, fixtureText, packageText } from '@paywright/contract/testing';
// for: billing
//: import { sendRequest } from '@paywright/contract/sandbox';
// end
import newProvider from '../index.ts';
import createSandbox, { signCallback } from '../sandbox/index.ts';
import { decide, undecided } from '../undecided.ts';

describeAdapter(newProvider, {
  vectors: decide(undecided.vectors, fixtureText(import.meta.url, 'vectors.json')),
  readme: packageText(import.meta.url, 'README.md'),
  otherAccount: { account: 'someone-else' },
  routes: {
    'POST newProvider': { sign: signCallback },
  },
  sandbox: {
    create: createSandbox,
    // for: billing
    //: async payer(action) {
    //:   const url = action.type === 'redirect' ? action.url : '';
    //:   await sendRequest({ method: 'POST', url, body: 'choice=pay' }, 2000);
    //: },
    // end
  },
});
