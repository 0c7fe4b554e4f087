// for: card billing token
import { describeAdapter, fixtureText, packageText, visitPage } from '@paywright/contract/testing';
// end
// for: upi
//: import { describeAdapter, fixtureText, packageText } from '@paywright/contract/testing';
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
    // for: card token
    payer: (action) => visitPage(action, 'pass'),
    // end
    // for: token
    //: step: { payment: { is3ds: true } },
    // end
    // for: billing
    //: payer: (action) => visitPage(action, 'pay'),
    // end
  },
});
