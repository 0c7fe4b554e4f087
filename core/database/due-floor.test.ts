import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createDueFloor, floorMarginMs, wholeLookEveryMs } from './due-floor.ts';

describe('where a look for what is due begins', () => {
  const create = (afterFound = 0) => {
    let nowMs = 0;
    const floor = createDueFloor({ clock: () => nowMs, afterFound });
    return { floor, pass: (ms: number) => void (nowMs += ms) };
  };
  const at = (ms: number): Date => new Date(1_000_000 + ms);

  it('is a little before what was the longest due of late', () => {
    const { floor } = create();
    expect(floor.begin()).to.equal(undefined);
    floor.raise(at(0), 1);
    expect(floor.begin()).to.deep.equal(at(-floorMarginMs));
    floor.raise(at(700), 1);
    expect(floor.begin()).to.deep.equal(at(700 - floorMarginMs));
  });

  it('is the beginning every few seconds, so that what came late with an early time is found', () => {
    const { floor, pass } = create();
    floor.begin();
    floor.raise(at(0), 1);
    pass(wholeLookEveryMs);
    expect(floor.begin()).to.equal(undefined);
    expect(floor.begin()).to.deep.equal(at(-floorMarginMs));
  });

  it('is never behind what is known to be due', () => {
    const { floor } = create();
    floor.begin();
    floor.raise(at(0), 1);
    floor.lower(at(-60_000));
    expect(floor.begin()).to.deep.equal(at(-60_000));
    floor.lower(at(0));
    expect(floor.begin()).to.deep.equal(at(-60_000));
  });

  it('is the beginning while little was found', () => {
    const { floor } = create(10);
    floor.begin();
    floor.raise(at(0), 9);
    expect(floor.begin()).to.equal(undefined);
    floor.raise(at(0), 1);
    expect(floor.begin()).to.deep.equal(at(-floorMarginMs));
  });
});
