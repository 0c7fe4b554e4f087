import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { velocityModel } from '../../../database/collections/velocity.ts';
import { testEncrypter } from '../../../base/testing/test-encrypter.ts';
import type { PayerInput } from '../types/input.ts';
import { cardInput, usePayments } from '../testing/setup.ts';
import { createRisk, type RiskRule } from './risk.ts';

describe('createRisk', () => {
  const suite = usePayments();
  let clock = Date.UTC(2026, 2, 2);
  afterEach(async () => velocityModel(suite.connection()).deleteMany({}));

  const deny: RiskRule = { id: 7, when: {}, action: 'deny', reason: 'too many cards' };
  const thrice: RiskRule = { ...deny, velocity: { by: 'card', max: 3, windowMinutes: 60 } };
  const create = (...rules: readonly RiskRule[]) => {
    const encrypter = testEncrypter();
    const risk = createRisk({ connection: suite.connection(), rules, encrypter, now: () => new Date(clock) });
    return async (members: Partial<PayerInput> = {}, ownerId = 1) =>
      risk.evaluate(ownerId, { unit: 'EUR', amount: '10', sandbox: true, input: cardInput(members) });
  };
  const card = (number: string): Partial<PayerInput> => ({ card: { ...cardInput().card!, number } });

  it('allows every payment without rules', async () => {
    expect(await create()()).to.deep.equal({ denied: null, require3ds: false });
  });

  it('denies with the number and the reason of the rule', async () => {
    expect((await create(deny)()).denied).to.equal('risk rule 7: too many cards');
    expect((await create({ ...deny, when: { currency: ['USD'] } })()).denied).to.equal(null);
  });

  it('demands 3D Secure, and continues with the next rules', async () => {
    const demand: RiskRule = { ...deny, id: 6, action: 'require3ds' };
    expect(await create(demand)()).to.deep.equal({ denied: null, require3ds: true });
    expect(await create(demand, deny)()).to.deep.equal({ denied: 'risk rule 7: too many cards', require3ds: true });
  });

  it('counts the value that a rule names within its window, separately per owner and value', async () => {
    const evaluate = create(thrice);
    const denied = async (...given: Parameters<typeof evaluate>) => (await evaluate(...given)).denied !== null;
    expect([await denied(), await denied(), await denied(), await denied()]).to.deep.equal([false, false, false, true]);
    expect(await denied(card('5555555555554444'))).to.equal(false);
    expect(await denied({}, 2)).to.equal(false);
    clock += 60 * 60_000;
    expect(await denied()).to.equal(false);
  });

  it('counts each of many concurrent payments once', async () => {
    const evaluate = create(thrice);
    const all = await Promise.all(Array.from({ length: 12 }, async () => evaluate()));
    expect(all.filter(({ denied }) => denied === null)).to.have.length(3);
  });

  it('counts each payment once across processes, for several values at the same time', async () => {
    const processes = [create(thrice), create(thrice), create(thrice)];
    for (let round = 0; round < 10; round += 1) {
      const numbers = [`41111111111${round}1111`, `55555555555${round}4444`];
      const each = processes.flatMap((one) =>
        numbers.flatMap((number) => [card(number), card(number)].map(async (given) => one(given))),
      );
      const all = await Promise.all(each);
      expect(all.filter(({ denied }) => denied === null)).to.have.length(6);
    }
  });

  it('counts an e-mail address in any case, and counts nothing if the value is missing', async () => {
    const byMail = create({ ...thrice, velocity: { by: 'email', max: 1, windowMinutes: 60 } });
    const mail = (email: string): Partial<PayerInput> => ({ payer: { ...cardInput().payer, email } });
    await byMail(mail('zoe@example.com'));
    expect((await byMail(mail('Zoe@Example.com'))).denied).to.not.equal(null);
    const byIp = create({ ...thrice, velocity: { by: 'ip', max: 1, windowMinutes: 60 } });
    await byIp();
    expect((await byIp()).denied).to.equal(null);
  });

  it('counts an address in every spelling as one, and counts no text that is not an address', async () => {
    const from = (ipAddress: string): Partial<PayerInput> => ({ payer: { ...cardInput().payer, ipAddress } });
    for (const [id, first, again] of [
      [11, '2001:db8::7', '2001:0DB8:0::0007'],
      [12, '203.0.113.9', '203.0.113.9:38242'],
      [13, '::ffff:203.0.113.9', '203.0.113.9, 10.0.0.4'],
    ] as const) {
      const byIp = create({ ...thrice, id, velocity: { by: 'ip', max: 1, windowMinutes: 60 } });
      expect((await byIp(from(first))).denied).to.equal(null);
      expect((await byIp(from(again))).denied, again).not.to.equal(null);
    }
    const byIp = create({ ...thrice, velocity: { by: 'ip', max: 1, windowMinutes: 60 } });
    for (let n = 0; n < 3; n += 1) expect((await byIp(from('unknown'))).denied).to.equal(null);
  });

  it('stores no card number', async () => {
    await create(thrice)();
    const stored = JSON.stringify(await velocityModel(suite.connection()).find().lean());
    expect(stored).to.include('times').and.not.include('4111');
  });
});
