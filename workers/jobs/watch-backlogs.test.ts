import { expect } from 'chai';
import { describe, it } from 'mocha';
import { paidEvent, useCallbacks } from '../../core/engine/callbacks/testing/setup.ts';
import type { Gateway } from '../../core/gateway.ts';
import { MINUTE } from '../../core/base/async/time.ts';
import { watchBacklogs } from './watch-backlogs.ts';

describe('watchBacklogs', () => {
  const inbox = useCallbacks();
  const signal = new AbortController().signal;

  function watch(members: object) {
    const raised: unknown[] = [];
    const gateway = {
      connection: inbox.connection(),
      alarms: { raise: (...alarm: unknown[]) => raised.push(alarm) },
      providers: { registry: { all: () => [] } },
      config: { alarms: { backlogMinutes: 10 } },
      ...members,
    } as unknown as Gateway;
    return { raised, run: async () => watchBacklogs.run(gateway, signal) };
  }

  it('raises an alarm while callbacks wait in the inbox, and takes no work from the worker that drains it', async () => {
    const { callbacks, receive } = inbox.create();
    expect(await receive({ events: [paidEvent(await inbox.createPending())] })).to.equal('accepted');
    await inbox.makeDue(new Date(Date.now() - 12.5 * MINUTE));
    const { raised, run } = watch({ callbacks });
    const old = ['backlog_old', { type: 'queue', id: 'callbacks' }, 'the oldest has waited for 12 min'];
    expect(await run()).to.deep.equal({ done: 1, more: false });
    expect(await callbacks.nextDueAt()).to.be.instanceOf(Date);
    // The drain job asks the same after every run.
    expect(await callbacks.nextDueAt()).to.equal(undefined);
    expect(await run()).to.deep.equal({ done: 1, more: false });
    expect(raised).to.deep.equal([old, old]);
    expect(await callbacks.drain(100)).to.equal(1);
    expect(await run()).to.deep.equal({ done: 0, more: false });
  });

  it('raises one alarm per queue, also for notifications and for the outbox', async () => {
    const id = await inbox.createPending();
    const ago = (minutes: number): Date => new Date(Date.now() - minutes * MINUTE);
    const payments = inbox.connection().collection<{ _id: number }>('paymentRequests');
    await payments.updateOne({ _id: id }, { $set: { nextCheckAt: ago(9), outboxSince: ago(20) } });
    const notifications = inbox.connection().collection('notifications');
    const receiver = 'shop.example:443';
    await notifications.insertOne({ fresh: true, dueAt: ago(30), receiver }, { bypassDocumentValidation: true });
    const { raised, run } = watch({});
    expect(await run()).to.deep.equal({ done: 2, more: false });
    expect(raised.map((alarm) => (alarm as [string, { id: string }])[1].id)).to.deep.equal(['notifications', 'outbox']);
  });

  it('raises no alarm if only the receiver of one merchant fails', async () => {
    const failing = { _id: '7:live:https://shop.example', receiver: 'shop.example:443' };
    const endpoints = inbox.connection().collection<{ _id: string }>('endpoints');
    await endpoints.insertOne(failing, { bypassDocumentValidation: true });
    const { raised, run } = watch({});
    await run();
    expect(raised.map((alarm) => (alarm as [string, { id: string }])[1].id)).to.deep.equal(['outbox']);
  });
});
