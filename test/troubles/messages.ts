/** Troubles with notifications, callbacks and keys. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { cardBody, payer } from '../support/bodies.ts';
import { root } from '../support/start-gateway.ts';
import type { Trouble } from './trouble.ts';
import type { View } from './world.ts';

const approved = '4111111111111111';

export const receiverFails: Trouble = {
  name: "a merchant's receiver answers 500",
  async plant(world) {
    const receiver = await world.startReceiver();
    let isRepaired = false;
    const delivered: string[] = [];
    receiver.answer = (response) => {
      if (isRepaired) delivered.push(receiver.received.at(-1)?.json.id);
      response.writeHead(isRepaired ? 200 : 500).end(isRepaired ? '' : 'the table orders is locked');
    };
    const merchant = await world.createMerchant('Hotel Mira', receiver.url);
    const ids: number[] = [];
    for (const amount of ['31', '32'])
      ids.push(await world.pay('/payments/h2h/11', cardBody(approved, amount), merchant));
    await world.waitForAlarm('notifications_exhausted', `${merchant.ownerId} (test)`);
    const all = { ownerId: merchant.ownerId };
    const notifications = world.collection('notifications');
    await until('all notifications had their attempts', async () => {
      const count = await notifications.countDocuments(all);
      return count >= ids.length && (await notifications.countDocuments({ ...all, state: 'exhausted' })) === count;
    });
    const expectDelivered = async (): Promise<void> => {
      await until('all notifications are delivered', async () => {
        const count = await notifications.countDocuments(all);
        return (await notifications.countDocuments({ ...all, state: 'delivered' })) === count;
      });
      expect(delivered.length).to.be.at.least(ids.length);
    };
    return {
      async byConsole(desk) {
        await desk.openAlarm('Webhooks to a merchant failed after all retries', 'Hotel Mira');
        await desk.sees('HTTP 500');
        await desk.sees('Hotel Mira');
        isRepaired = true;
        await desk.press('Resend all failed');
        await desk.press(/^Resend/);
        await expectDelivered();
      },
      async byCommands(command) {
        const list = await command(['notifications', 'list', '--state', 'exhausted']);
        expect(list).to.contain('HTTP 500').and.to.contain('answered: the table orders is locked');
        isRepaired = true;
        await command(['notifications', 'resend', '--owner', 'Hotel Mira', '--yes']);
        await expectDelivered();
      },
    };
  },
};

export const endpointDisabled: Trouble = {
  name: "a merchant's address is disabled after failures",
  async plant(world) {
    const port = await chooseFreePort();
    const origin = `http://127.0.0.1:${port}`;
    const merchant = await world.createMerchant('Café Luz', `${origin}/hook`);
    const pay = async (): Promise<number> => world.pay('/payments/h2h/11', cardBody(approved, '9'), merchant);
    const notifications = world.collection('notifications');
    const isDisabled = async () =>
      (await world.collection('alarms').countDocuments({ kind: 'endpoint_disabled', state: 'open' })) > 0;
    await until(
      'the address is disabled',
      async () => {
        const waiting = { ownerId: merchant.ownerId, state: { $nin: ['exhausted', 'delivered'] } };
        if (await isDisabled()) return true;
        if ((await notifications.countDocuments(waiting)) === 0) await pay();
        return false;
      },
      240_000,
    );
    const kept = await pay();
    const expectEnabled = async (): Promise<void> => {
      await until('the kept notification is delivered', async () => {
        const filter = { paymentRequestId: kept, state: 'delivered' };
        return (await notifications.countDocuments(filter)) > 0;
      });
    };
    return {
      async byConsole(desk) {
        await desk.openAlarm('Webhook endpoint disabled after repeated failures');
        await desk.sees(origin);
        await world.startReceiver(port);
        await desk.press('Enable endpoint');
        await expectEnabled();
      },
      async byCommands(command) {
        expect(await command(['endpoints', 'list'])).to.match(new RegExp(`Café Luz.*${origin}.*disabled since`));
        await world.startReceiver(port);
        await command(['endpoints', 'enable', 'Café Luz', origin]);
        await expectEnabled();
      },
    };
  },
};

export const forgedCallbacks: Trouble = {
  name: 'forged callbacks claim that a payment was captured',
  async plant(world) {
    const id = await world.pay('/payments/h2h/11', cardBody('4000000000003097', '44'));
    const forged = ['trigger', 'provider-a', 'CAPTURE:true', '--payment', String(id), '--forge', '--duplicate', '5'];
    await world.prepare(...forged);
    const expectUnpaid = async (): Promise<void> => {
      const { statusId, attempts } = await world.payment(id);
      expect([statusId, attempts[0].outcome]).to.deep.equal([1, 'open']);
    };
    return {
      async byConsole(desk) {
        await desk.visit('Callbacks');
        await desk.follow('Refused');
        await desk.sees(/127\.0\.0/);
        await desk.follow(String(id));
        await desk.sees('pending');
        await desk.type(/^Note/, 'Five forged callbacks named this payment. It is not paid.');
        await desk.press('Add note');
        await desk.sees('Note added.');
        await expectUnpaid();
      },
      async byCommands(command) {
        const list = await command(['inbox', 'refused', '--adapter', 'provider-a']);
        expect(list).to.match(new RegExp(`5 × from 127\\.0\\.0.*naming payment ${id}`));
        expect(await command(['payments', 'show', String(id)])).to.contain('pending');
        await expectUnpaid();
      },
    };
  },
};

export const unknownCharge: Trouble = {
  name: 'a provider reports a charge that no payment has',
  async plant(world) {
    const { sandboxes } = await world.state();
    const { options } = JSON.parse(readFileSync(join(root, 'adapters/provider-a/fixtures/vectors.json'), 'utf8'));
    const ref = 'GW-4242424242-1';
    const response = await fetch(`${sandboxes['provider-a']}/v1/charges`, {
      method: 'POST',
      headers: { 'X-A-Key': 'aak_open_2f7c91d04be6', 'Idempotency-Key': ref, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        acct: options.account,
        ref,
        mode: 'test',
        sum: { minor: 7700, cur: 'EUR' },
        card: { pan: '4000000000003063', expMonth: '12', expYear: '2031', cvc: '737', holder: payer.name },
        payer: { name: payer.name, ip: null },
        capture: { delayHours: 0 },
        stepUp: 'skip',
        backUrl: `${world.url}/callbacks/providerA3ds`,
      }),
    });
    expect(response.status, await response.text()).to.equal(200);
    const { subject } = await world.waitForAlarm('callback_dead_letter');
    const expectDiscarded = async (): Promise<void> => {
      const { discardedAt } = await world.collection('inbox').findOne({ _id: subject.id });
      expect(discardedAt).to.be.an.instanceOf(Date);
    };
    return {
      async byConsole(desk) {
        await desk.visit('Callbacks');
        await desk.sees(/4242424242/);
        await desk.followIn('4242424242', /./);
        await desk.sees(/77\.00/);
        await desk.type(/^Reason \(required/, 'Refunded in the console of provider A.');
        await desk.press('Discard');
        await desk.press('Discard');
        await desk.sees('discarded');
        await expectDiscarded();
      },
      async byCommands(command) {
        expect(await command(['inbox', 'list']))
          .to.contain(subject.id)
          .and.to.contain('4242424242');
        const why = ['--reason', 'Refunded in the console of provider A.', '--yes'];
        await command(['inbox', 'discard', subject.id, ...why]);
        await expectDiscarded();
      },
    };
  },
};

/** A message of provider H, signed with the published test secret. Its members are sorted, as H signs them. */
function frozenMessage(attempt: View): { readonly body: string; readonly digest: string } {
  const { options } = JSON.parse(readFileSync(join(root, 'adapters/provider-h/fixtures/vectors.json'), 'utf8'));
  const coins = '{"coin":"BTC","n":0.00041008}';
  const body =
    `{"asked":${coins},"at":${Date.now()},"chain":"bitcoin","confs":0,"got":{"coin":"BTC","n":0},` +
    `"gw_ref":"${attempt.reference}","pay_no":${attempt.providerReference},"phase":"frozen",` +
    `"shop":"${options.merchantNo}","want":{"cur":"EUR","n":25.63},"why":null}`;
  return { body, digest: createHmac('sha512', options.ipnSecrets[0]).update(body).digest('hex') };
}

export const unknownStatus: Trouble = {
  name: 'a provider reports a status that its adapter does not know',
  async plant(world) {
    const id = await world.pay('/payments/h2h/17', { ...payer, amount: 25.63, unit: 'EUR' });
    const { body, digest } = frozenMessage((await world.payment(id)).attempts[0]);
    const headers = { 'Content-Type': 'application/json', 'X-H-Digest': digest };
    const sent = await fetch(`${world.url}/callbacks/providerH`, { method: 'POST', headers, body });
    expect(sent.status, await sent.text()).to.equal(200);
    const alarm = await world.waitForAlarm('status_unknown');
    return {
      async byConsole(desk) {
        await desk.openAlarm('Unknown provider status');
        await desk.sees('frozen');
        await desk.type(/^Reason/, 'H answers: frozen means that a check of its own is not finished.');
        await desk.press('Resolve');
        await desk.sees('Alarm resolved.');
        await world.waitUntilResolved(alarm);
      },
      async byCommands(command) {
        expect(await command(['alarms', 'list'])).to.match(/Unknown provider status[^]*frozen/);
        await command(['alarms', 'resolve', alarm._id, '--reason', 'H answers: a check of its own is not finished.']);
        await world.waitUntilResolved(alarm);
      },
    };
  },
};

export const leakedKey: Trouble = {
  name: 'the API key of a merchant was published by mistake',
  async plant(world) {
    const merchant = await world.createMerchant('Alder Books');
    const { _id: keyId } = await world.collection('apiKeys').findOne({ ownerId: merchant.ownerId });
    const expectRefused = async (): Promise<void> => {
      const use = async () => world.post('/payments/h2h/11', cardBody(approved, '15'), merchant);
      await until('the key is refused', async () => (await use()).status === 401);
    };
    return {
      async byConsole(desk) {
        await desk.visit('Merchants');
        await desk.page.locator('main').getByText('Alder Books').first().waitFor();
        await desk.followIn('Alder Books', /^1$/);
        await desk.sees(String(keyId));
        await desk.press('Revoke');
        await desk.press('Revoke key');
        await expectRefused();
      },
      async byCommands(command) {
        expect(await command(['keys', 'list', '--owner', 'Alder Books'])).to.contain(String(keyId));
        await command(['keys', 'revoke', String(keyId)]);
        await expectRefused();
      },
    };
  },
};
