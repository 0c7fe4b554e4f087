import { expect } from 'chai';
import { describe, it } from 'mocha';
import { assertTransition, type Mode } from './delivery-mode.ts';

describe('assertTransition', () => {
  it('returns a mode that may follow', () => {
    const resting: Mode = { name: 'resting', ms: 5 };
    expect(assertTransition({ name: 'polling' }, resting)).to.equal(resting);
  });

  it('refuses to leave a draining run, and to poll before changes are dispatched', () => {
    expect(() => assertTransition({ name: 'draining' }, { name: 'dispatching' })).to.throw(
      'from draining to dispatching',
    );
    expect(() => assertTransition({ name: 'delivering' }, { name: 'polling' })).to.throw('from delivering to polling');
  });
});
