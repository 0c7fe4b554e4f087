import { expect } from 'chai';
import { describe, it } from 'mocha';
import { paidEvent, useCallbacks } from './testing/setup.ts';

describe('a payment that the database refuses', () => {
  const inbox = useCallbacks();

  it('does not delay other payments of its batch, and its callback finally becomes a dead letter', async () => {
    const ids = [await inbox.createPending(), await inbox.createPending(), await inbox.createPending()];
    const [bad, ...good] = ids;
    const soon = 'soon' as unknown as Date;
    const applyEvents = inbox.applyEvents({ nextCheckAt: ({ _id }) => (_id === bad ? soon : null) });
    const { receive, callbacks, logged } = inbox.create({ applyEvents });
    for (const id of ids) await receive({ events: [paidEvent(id)] });
    await callbacks.drain(100);
    for (const id of good) expect(await inbox.payment(id)).to.include({ statusId: 2 });
    expect(await inbox.payment(bad!)).to.include({ statusId: 1, version: 1 });
    expect((await inbox.rows()).map(({ state }) => state).toSorted()).to.deep.equal(['done', 'done', 'waiting']);

    let drains = 1;
    const isDrained = async (): Promise<boolean> => (await inbox.rows()).every(({ state }) => state !== 'waiting');
    while (!(await isDrained())) {
      await inbox.makeDue();
      await callbacks.drain(100);
      drains += 1;
    }
    // Twenty faults are retried. The next one makes the row a dead letter.
    expect(drains).to.equal(21);
    expect(logged.filter(({ msg }) => msg === 'a callback could not be applied')).to.have.length(21);
    expect(logged.filter(({ alarmKind }) => alarmKind === 'callback_dead_letter')).to.have.length(1);
  });
});
