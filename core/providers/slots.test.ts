import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createSlots } from './slots.ts';

describe('createSlots', () => {
  it('lets so many in, and the others in their order as slots are freed', async () => {
    const slots = createSlots(2);
    const order: string[] = [];
    const leave = await slots.enter(1000);
    await slots.enter(1000);
    const third = slots.enter(1000).then((free) => (order.push('third'), free));
    const fourth = slots.enter(1000).then((free) => (order.push('fourth'), free));
    leave?.();
    (await third)?.();
    await fourth;
    expect(order).to.deep.equal(['third', 'fourth']);
  });

  it('turns away who has waited too long, and loses no slot by it', async () => {
    const slots = createSlots(1);
    const leave = await slots.enter(1000);
    expect(await slots.enter(5)).to.equal(undefined);
    leave?.();
    expect(await slots.enter(5)).to.be.a('function');
    expect(await slots.enter(5)).to.equal(undefined);
  });
});
