import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { escapeControls, escapeControlsInText } from './escape-controls.ts';

describe('escapeControls', () => {
  for (const [text, shown] of [
    ['order \u001B[31m paid', 'order \\u001b[31m paid'],
    ['\u001B]52;c;cGF5\u0007', '\\u001b]52;c;cGF5\\u0007'],
    ['failed\rpaid', 'failed\\u000dpaid'],
    ['failed\npaid', 'failed\\u000apaid'],
    ['\u202Eorder', '\\u202eorder'],
    ['a\u2066b\u2069\u200E\u061C', 'a\\u2066b\\u2069\\u200e\\u061c'],
    ['\u009B2J \u007F', '\\u009b2J \\u007f'],
    ['half \uD800', 'half \\ud800'],
    ['Zoë 李 👩‍👧 €', 'Zoë 李 👩‍👧 €'],
  ] as const) {
    it(`shows ${JSON.stringify(text)} as ${shown}`, () => expect(escapeControls(text)).to.equal(shown));
  }

  it('keeps JSON valid and its values unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const line = escapeControls(JSON.stringify({ text }));
        expect(JSON.parse(line)).to.deep.equal({ text });
        expect(line).to.not.match(/[\p{Cc}\u2028-\u202E\u2066-\u2069]/u);
      }),
    );
  });

  it('keeps the line ends of text with several lines', () => {
    expect(escapeControlsInText('one\ntwo\u001B')).to.equal('one\ntwo\\u001b');
  });
});
