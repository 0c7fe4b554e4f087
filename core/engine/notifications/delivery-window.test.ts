import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createDeliveryWindow, type DeliveryWindow } from './delivery-window.ts';

/** Gives as many answers as the window allows, one after another, each after `toMs`. */
function answerAll(window: DeliveryWindow, toMs: (inProgress: number) => number): void {
  const { size } = window;
  const ms = toMs(size);
  for (let inProgress = size; inProgress > 0; inProgress -= 1)
    window.answered({ ms, wasAlone: size === 1, inProgress });
}

function sizesOver(rounds: number, window: DeliveryWindow, toMs: (inProgress: number) => number): number[] {
  return Array.from({ length: rounds }, () => {
    answerAll(window, toMs);
    return window.size;
  });
}

describe('createDeliveryWindow', () => {
  it('starts with 8 and grows to the limit while answers are quick, fastest in the first rounds', () => {
    const window = createDeliveryWindow(48);
    expect(window.size).to.equal(8);
    expect(sizesOver(7, window, () => 200)).to.deep.equal([11, 15, 20, 27, 36, 48, 48]);
    expect(createDeliveryWindow(3).size).to.equal(3);
  });

  it('does not grow while half of it is enough', () => {
    const window = createDeliveryWindow(48);
    for (let count = 0; count < 100; count += 1) window.answered({ ms: 5, wasAlone: false, inProgress: 4 });
    expect(window.size).to.equal(8);
  });

  it('halves with each failure, and stays at one at least', () => {
    const window = createDeliveryWindow(48);
    const sizes = Array.from({ length: 5 }, () => {
      window.failed();
      return window.size;
    });
    expect(sizes).to.deep.equal([4, 2, 1, 1, 1]);
  });

  it('stays in balance with a receiver that works on one request at a time, at about a second per answer', () => {
    const window = createDeliveryWindow(48);
    const sizes = sizesOver(50, window, (inProgress) => 50 * inProgress).slice(5);
    expect(Math.max(...sizes)).to.be.at.most(30);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    expect(mean).to.be.within(5, 25);
  });

  it('grows with a receiver that is always slow, once an attempt ran alone', () => {
    const window = createDeliveryWindow(48);
    answerAll(window, () => 1500);
    expect(window.size).to.equal(1);
    expect(sizesOver(8, window, () => 1500).at(-1)).to.be.above(16);
    expect(sizesOver(8, window, () => 3500)).to.include(1);
  });
});
