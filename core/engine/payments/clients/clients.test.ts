import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { clientIdOf, clientModel, type ClientInput } from '../../../database/collections/client.ts';
import { createIdBlocks } from '../../../database/collections/counter.ts';
import { usePayments } from '../testing/setup.ts';
import { createClients, type Clients } from './clients.ts';

const input = { name: 'Ana', email: null, address: null, phone: null, memberId: null } satisfies ClientInput;

describe('createClients', () => {
  const suite = usePayments();
  let clients: Clients;
  before(() => {
    const connection = suite.connection();
    const ids = createIdBlocks(connection, 'client', 100, () => 1);
    const money = { reportingCurrency: 'EUR', exchangeRates: {} };
    clients = createClients({ connection, ids, ...money, onManyDue: () => undefined, now: () => new Date() });
  });

  const get = async (id: number) => (await clients.get([id])).get(id);
  const newEmail = (): string => `${randomUUID()}@Shop.example`;
  const findOrCreate = async (email: string | null, ownerId = 1, environment: 'test' | 'live' = 'test') =>
    clients.findOrCreate(ownerId, environment, { ...input, email });
  const addressOf = (email: string) => {
    return { ownerId: 1, environment: 'test', emailKey: email.toLowerCase() } as const;
  };

  it('creates one client when many concurrent requests give the same e-mail address', async () => {
    const email = newEmail();
    const found = await Promise.all(Array.from({ length: 30 }, async () => findOrCreate(email)));
    expect(new Set(found).size).to.equal(1);
    expect(await get(found[0]!)).to.include({ email, emailKey: email.toLowerCase() });
    expect(await clientModel(suite.connection()).countDocuments({ emailKey: email.toLowerCase() })).to.equal(1);
  });

  it('creates one client per owner and environment, and ignores upper and lower case', async () => {
    const email = newEmail();
    const [one, same, ...others] = [
      await findOrCreate(email),
      await findOrCreate(email.toUpperCase()),
      await findOrCreate(email, 2),
      await findOrCreate(email, 1, 'live'),
      await findOrCreate(null),
      await findOrCreate(''),
    ];
    expect(same).to.equal(one);
    expect(new Set([one, ...others]).size).to.equal(5);
  });

  it('uses the next id if another client has the id of the address', async () => {
    const [taken, email] = [newEmail(), newEmail()];
    const other = await get(await findOrCreate(taken));
    const [first, second] = [clientIdOf(addressOf(email), 0), clientIdOf(addressOf(email), 1)];
    await clientModel(suite.connection()).create([{ ...other, _id: first }]);
    expect([await findOrCreate(email), await findOrCreate(email)]).to.deep.equal([second, second]);
    expect(first).to.be.within(1e14, 1e15 - 1);
  });

  it('finds a client by the e-mail address that it adopted later', async () => {
    const email = newEmail();
    const id = await findOrCreate(null);
    await clients.adoptEmail(id, email, 'Zoe');
    await clients.adoptEmail(id, newEmail(), 'Zoe');
    expect(await get(id)).to.include({ email, name: 'Ana' });
    expect(await findOrCreate(email.toLowerCase())).to.equal(id);
  });

  it('keeps finding the first client of an address after a second client adopted it', async () => {
    const email = newEmail();
    const [first, second] = [await findOrCreate(email), await findOrCreate(null)];
    await clients.adoptEmail(second, email, 'Ana');
    expect(await findOrCreate(email)).to.equal(first);
    expect(await get(second)).to.include({ email });
  });
});
