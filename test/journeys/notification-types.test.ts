/** A merchant is notified only of the chosen types, whatever changes the payment. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { createAccessActions } from '../../core/engine/access/index.ts';
import { createAudit } from '../../core/engine/audit/index.ts';
import { expectRefusal } from '../../core/engine/access/testing/expect-refusal.ts';
import { ana } from '../../core/engine/audit/testing/audit-double.ts';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { toTestPayment, trigger, type TestPayment } from '../support/scenarios.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

const approved = '4111111111111111';
const pendingForever = '4000000000003097';

describe('the choice of notification types for a merchant', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a'] });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  async function choose(notificationTypes: readonly string[] | null): Promise<void> {
    const { access, connection, httpDeps } = gateway.gateway;
    const log = pino({ level: 'silent' });
    const audit = createAudit({ connection, encrypter: httpDeps.encrypter, now: () => new Date(), log });
    await createAccessActions({ ...access, audit }).setOwner(ana, 'demo', { notificationTypes });
  }
  const pay = async (card: string): Promise<TestPayment> =>
    toTestPayment(
      gateway,
      await gateway.post('/payments/h2h/11', cardBody(card, '25.90', { notifyUrl: receiver.url })),
    );
  const typesOf = ({ id }: TestPayment): string[] => receiver.ofPayment(id).map(({ json }) => json.type as string);
  /** A payment that is paid by the answer to its submission, and one that is paid later by a callback. */
  async function payBoth(): Promise<readonly TestPayment[]> {
    const later = await pay(pendingForever);
    await trigger(later, 'provider-a', 'CAPTURE:true');
    const payments = [await pay(approved), later];
    for (const payment of payments) await payment.waitForStatus(2);
    return payments;
  }

  it('limits the notifications to these types', async () => {
    await choose(['payment.succeeded']);
    for (const payment of await payBoth()) {
      await until('it is notified', () => typesOf(payment).length > 0);
      expect(typesOf(payment)).to.deep.equal(['payment.succeeded']);
    }
  });

  it('leaves out all others, and includes every type again after it is removed', async () => {
    await choose(['payment.refunded']);
    const silent = await payBoth();
    await choose(null);
    for (const payment of await payBoth())
      await until('it is notified of all', () => typesOf(payment).includes('payment.succeeded'));
    expect(typesOf((await payBoth())[1]!)).to.include('payment.pending');
    const rows = gateway.gateway.connection.collection('notifications');
    expect(await rows.countDocuments({ paymentRequestId: { $in: silent.map(({ id }) => id) } })).to.equal(0);
  });

  it('is refused when a type does not exist, and is recorded in the audit log', async () => {
    await choose(null);
    for (const types of [['payment.paid'], []]) await expectRefusal('INVALID_FORMAT', async () => choose(types));
    await choose(['payment.failed']);
    const entries = gateway.gateway.connection.collection('audit').find({ act: 'owner.set', state: 'done' });
    expect(JSON.stringify((await entries.sort({ _id: -1 }).toArray())[0])).to.match(
      /notificationTypes.{1,6}payment\.failed/,
    );
  });
});
