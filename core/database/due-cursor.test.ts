import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createDueCursor, cursorMarginMs, fullScanEveryMs } from './due-cursor.ts';

describe('createDueCursor', () => {
  const create = (afterFound = 0) => {
    let nowMs = 0;
    const cursor = createDueCursor({ clock: () => nowMs, afterFound });
    return { cursor, pass: (ms: number) => void (nowMs += ms) };
  };
  const at = (ms: number): Date => new Date(1_000_000 + ms);

  it('starts a little before the oldest due document of the last poll', () => {
    const { cursor } = create();
    expect(cursor.start()).to.equal(undefined);
    cursor.advance(at(0), 1);
    expect(cursor.start()).to.deep.equal(at(-cursorMarginMs));
    cursor.advance(at(700), 1);
    expect(cursor.start()).to.deep.equal(at(700 - cursorMarginMs));
  });

  it('starts a full scan every few seconds, to find documents stored late with an earlier due time', () => {
    const { cursor, pass } = create();
    cursor.start();
    cursor.advance(at(0), 1);
    pass(fullScanEveryMs);
    expect(cursor.start()).to.equal(undefined);
    expect(cursor.start()).to.deep.equal(at(-cursorMarginMs));
  });

  it('never starts after a document that is known to be due', () => {
    const { cursor } = create();
    cursor.start();
    cursor.advance(at(0), 1);
    cursor.rewind(at(-60_000));
    expect(cursor.start()).to.deep.equal(at(-60_000));
    cursor.rewind(at(0));
    expect(cursor.start()).to.deep.equal(at(-60_000));
  });

  it('starts at the start of the index until enough documents were found', () => {
    const { cursor } = create(10);
    cursor.start();
    cursor.advance(at(0), 9);
    expect(cursor.start()).to.equal(undefined);
    cursor.advance(at(0), 1);
    expect(cursor.start()).to.deep.equal(at(-cursorMarginMs));
  });
});
