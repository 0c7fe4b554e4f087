import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { contrast, LEAST_CONTRAST, readableOn } from './colour.ts';

describe('contrast and readableOn', () => {
  // The values of the specification's own examples and of every checker.
  for (const [one, other, expected] of [
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#767676', '#ffffff', 4.54],
    ['#777777', '#ffffff', 4.48],
    ['#0000ff', '#ffffff', 8.59],
  ] as const) {
    it(`returns the contrast of ${one} and ${other}`, () => {
      expect(contrast(one, other)).to.be.closeTo(expected, 0.005);
      expect(contrast(other, one)).to.equal(contrast(one, other));
    });
  }

  it('returns a readable colour, and keeps a colour that is readable', () => {
    const anyColour = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`);
    fc.assert(
      fc.property(anyColour, (colour) => {
        for (const [ground, goal] of [
          ['#ffffff', '#000000'],
          ['#181b21', '#ffffff'],
        ] as const) {
          const readable = readableOn(ground, colour, goal);
          expect(contrast(readable, ground)).to.be.at.least(LEAST_CONTRAST);
          if (contrast(colour, ground) >= LEAST_CONTRAST) expect(readable).to.equal(colour);
        }
      }),
    );
  });
});
