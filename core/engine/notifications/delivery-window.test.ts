import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createDeliveryWindow, type DeliveryWindow } from './delivery-window.ts';

/** As many answers as the window has places, one after another, each in so long. */
function answerAll(window: DeliveryWindow, toMs: (underWay: number) => number): void {
  const { size } = window;
  const ms = toMs(size);
  for (let underWay = size; underWay > 0; underWay -= 1) window.answered({ ms, wasAlone: size === 1, underWay });
}

function sizesOver(rounds: number, window: DeliveryWindow, toMs: (underWay: number) => number): number[] {
  return Array.from({ length: rounds }, () => {
    answerAll(window, toMs);
    return window.size;
  });
}

describe('the window of deliveries', () => {
  it('begins with 8 and grows to the most while answers are quick, the first rounds fastest', () => {
    const window = createDeliveryWindow(48);
    expect(window.size).to.equal(8);
    expect(sizesOver(7, window, () => 200)).to.deep.equal([11, 15, 20, 27, 36, 48, 48]);
    expect(createDeliveryWindow(3).size).to.equal(3);
  });

  it('does not grow while half of it suffices', () => {
    const window = createDeliveryWindow(48);
    for (let count = 0; count < 100; count += 1) window.answered({ ms: 5, wasAlone: false, underWay: 4 });
    expect(window.size).to.equal(8);
  });

  it('halves with each failure, and is never less than one', () => {
    const window = createDeliveryWindow(48);
    const sizes = Array.from({ length: 5 }, () => {
      window.failed();
      return window.size;
    });
    expect(sizes).to.deep.equal([4, 2, 1, 1, 1]);
  });

  it('holds where a receiver that does one after another answers in about a second', () => {
    const window = createDeliveryWindow(48);
    const sizes = sizesOver(50, window, (underWay) => 50 * underWay).slice(5);
    expect(Math.max(...sizes)).to.be.at.most(30);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    expect(mean).to.be.within(5, 25);
  });

  it('grows with a receiver that is slow by nature, once it was asked alone', () => {
    const window = createDeliveryWindow(48);
    answerAll(window, () => 1500);
    expect(window.size).to.equal(1);
    expect(sizesOver(8, window, () => 1500).at(-1)).to.be.above(16);
    expect(sizesOver(8, window, () => 3500)).to.include(1);
  });
});
