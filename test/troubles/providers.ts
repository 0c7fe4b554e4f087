/** Troubles with providers and with the service itself. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../core/base/testing/until.ts';
import { cardBody, payer } from '../support/bodies.ts';
import type { Trouble } from './trouble.ts';
import type { Answered } from './world.ts';

const reason = 'seen on the status page';

/** The adapter refuses new payments once the change is live everywhere, and the provider is not called for them. */
async function expectDrained(pay: () => Promise<Answered>, calls: () => number): Promise<void> {
  let before = calls();
  await until('new payments are refused', async () => {
    before = calls();
    return (await pay()).json?.code === 'NF001';
  });
  expect(calls(), 'calls to the provider').to.equal(before);
}

export const refusedCredentials: Trouble = {
  name: 'a provider refuses our credentials',
  async plant(world) {
    const { walletProvider } = world;
    let calls = 0;
    walletProvider.before = async () => {
      calls += 1;
      return { status: 401, body: '{"fault":{"code":"bad_token","message":"bad token","started":false}}' };
    };
    const pay = async (): Promise<Answered> => world.post('/payments/h2h/15', { ...payer, amount: 18, unit: 'EUR' });
    await pay();
    await world.waitForAlarm('provider_misconfigured', 'provider-f (test)');
    return {
      async byConsole(desk) {
        await desk.openAlarm('Provider rejects our credentials', 'Provider F');
        await desk.sees('F answered 401 bad_token: check apiToken and shopId');
        await desk.follow('View provider');
        await desk.type(/^Reason/, reason);
        await desk.press('Drain');
        await desk.press('Drain');
        await desk.sees('Adapter is draining: it accepts no new payments.');
        await expectDrained(pay, () => calls);
      },
      async byCommands(command) {
        const list = await command(['alarms', 'list']);
        expect(list).to.contain('Provider rejects our credentials').and.to.contain('bad_token: check apiToken');
        await command(['adapters', 'drain', 'provider-f', '--reason', reason]);
        await expectDrained(pay, () => calls);
      },
    };
  },
};

export const unreachable: Trouble = {
  name: 'a provider cannot be reached',
  async plant(world) {
    const pay = async (): Promise<Answered> => world.post('/payments/h2h/12', cardBody('4111111111111111', '21'));
    const isRaised = async () =>
      (await world.collection('alarms').countDocuments({ kind: 'breaker_open', state: 'open' })) > 0;
    await until('the breaker opens', async () => (await pay()) && (await isRaised()));
    const alarm = await world.waitForAlarm('breaker_open', 'provider-b (test)');
    return {
      async byConsole(desk) {
        await desk.openAlarm('Provider unreachable', 'Provider B');
        // Provider B is back, and no payment has noticed.
        await world.answerOn(world.silentPort);
        await desk.press('Check connection and credentials');
        await desk.sees('Resolved: the provider can be reached.');
        await world.waitUntilResolved(alarm);
      },
      async byCommands(command) {
        expect(await command(['alarms', 'list'])).to.match(/Provider unreachable[^]*provider-b/);
        await command(['adapters', 'drain', 'provider-b', '--reason', reason]);
        await expectDrained(pay, () => 0);
      },
    };
  },
};

export const drainedByMistake: Trouble = {
  name: 'an adapter drains by mistake: merchants get errors, no alarm says so',
  async plant(world) {
    const pay = async (): Promise<Answered> => world.post('/payments/h2h/27', { ...payer, amount: 27, unit: 'EU' });
    await world.prepare('adapters', 'drain', 'provider-d', '--reason', 'maintenance of last night');
    expect((await pay()).json.code).to.equal('NF001');
    const expectAccepted = async (): Promise<void> => {
      await until('payments are accepted', async () => (await pay()).status === 200);
    };
    return {
      async byConsole(desk) {
        await desk.visit('Adapters');
        await desk.sees('maintenance of last night');
        await desk.follow(/provider-d|Provider D/);
        await desk.sees('draining');
        await desk.type(/^Reason/, 'the maintenance is over');
        await desk.press('Turn on');
        await desk.press('Turn on');
        await desk.sees('Adapter turned on.');
        await expectAccepted();
      },
      async byCommands(command) {
        const list = await command(['adapters']);
        expect(list)
          .to.match(/provider-d +draining/)
          .and.to.contain('maintenance of last night');
        await command(['adapters', 'on', 'provider-d', '--reason', 'the maintenance is over']);
        await expectAccepted();
      },
    };
  },
};

const mapping = `
adapter: provider-a
columns: { reference: Reference, kind: Type, amount: Amount, currency: Currency, fee: Fee, date: Date }
kinds: { payment: SALE }
span: dates
`;

export const settlementDiffers: Trouble = {
  name: 'a settlement file differs from our payments',
  async plant(world) {
    const from = new Date();
    const ids: number[] = [];
    for (const amount of ['25', '26', '27']) {
      const id = await world.pay('/payments/h2h/11', cardBody('4111111111111111', amount));
      await world.waitForPayment(id, { statusId: 2 });
      ids.push(id);
    }
    const to = new Date();
    const row = (id: number | undefined, amount: string, fee: string, at: Date): string =>
      `GW-${id}-1,SALE,${amount},EUR,${fee},${at.toISOString()}`;
    const [wrong, right] = [join(world.folder, 'week.csv'), join(world.folder, 'week-corrected.csv')];
    const write = async (file: string, rows: readonly string[]): Promise<void> =>
      writeFile(file, ['Reference,Type,Amount,Currency,Fee,Date', ...rows, ''].join('\n'));
    await write(wrong, [
      row(ids[0], '25.00', '0.55', from),
      `GW-4242424243-1,SALE,5.00,EUR,0.27,${from.toISOString()}`,
      row(ids[2], '24.00', '0.58', to),
    ]);
    await write(right, [
      row(ids[0], '25.00', '0.55', from),
      row(ids[1], '26.00', '0.56', to),
      row(ids[2], '27.00', '0.58', to),
    ]);
    const map = join(world.folder, 'mapping.yaml');
    await writeFile(map, mapping);
    const settle = ['settle', '--mapping', map];
    const ran = await world.run(...settle, wrong);
    expect(ran.code, ran.problems.join('\n')).to.equal(1);
    const alarm = await world.waitForAlarm('settlement_difference');
    return {
      async byConsole(desk) {
        await desk.sees('Settlement file differs from our payments');
        await desk.sees('1 not in gateway, 1 not in file, 1 amount differs');
        await desk.visit('Settlement');
        await desk.sees('week.csv');
        await desk.follow('Compare a file');
        await desk.page.locator('select[name=adapter]').selectOption('provider-a');
        await desk.page.locator('input[name=file]').setInputFiles(right);
        await desk.press('Upload');
        await desk.sees('as in the last comparison of this provider');
        await desk.press('Compare');
        await desk.sees('No differences. Every row of the file matches.');
        await world.waitUntilResolved(alarm);
      },
      async byCommands(command) {
        const found = await command([...settle, wrong], 1);
        expect(found).to.contain(String(ids[1])).and.to.contain('24.00 EUR').and.to.contain('GW-4242424243-1');
        expect(await command([...settle, right])).to.contain('No differences.');
        await world.waitUntilResolved(alarm);
      },
    };
  },
};

export const workerKilled: Trouble = {
  name: 'a worker was killed',
  async plant(world) {
    const worker = (await world.state()).children.find(({ name }) => name.startsWith('worker'));
    if (!worker) throw new Error('the state names no worker');
    process.kill(worker.pid, 'SIGKILL');
    const alarm = await world.waitForAlarm('process_failed');
    const expectReplaced = async (): Promise<void> => {
      await world.waitUntilResolved(alarm);
      await until('another worker runs', async () =>
        (await world.state()).children.some(({ name, pid }) => name.startsWith('worker') && pid !== worker.pid),
      );
    };
    return {
      async byConsole(desk) {
        await desk.openAlarm('Process crashed or hung and was restarted');
        await desk.sees('SIGKILL');
        await desk.type(/^Reason/, 'the host ran out of memory');
        await desk.press('Resolve');
        await desk.sees('Alarm resolved.');
        await expectReplaced();
      },
      async byCommands(command) {
        expect(await command(['alarms', 'list'])).to.match(/Process crashed or hung and was restarted[^]*SIGKILL/);
        await command(['alarms', 'resolve', alarm._id, '--reason', 'the host ran out of memory']);
        await expectReplaced();
      },
    };
  },
};
