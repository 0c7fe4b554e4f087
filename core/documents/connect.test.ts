import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import pino from 'pino';
import { connectDatabase, type Database } from './connect.ts';
import { testDatabaseUri } from './testing/test-database-uri.ts';

/** A server of databases that can be frozen: connections stay, and nothing is answered. */
async function startFreezable(uri: string) {
  const server = new URL(uri);
  const { hostname, port } = server;
  const sockets: Socket[] = [];
  let isFrozen = false;
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      sockets.push(from);
    }
    if (isFrozen) freeze();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  server.port = String((proxy.address() as AddressInfo).port);
  server.searchParams.delete('replicaSet');
  server.searchParams.set('directConnection', 'true');
  function freeze(): void {
    isFrozen = true;
    for (const socket of sockets) socket.unpipe().pause();
  }
  return {
    uri: server.href,
    freeze,
    close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

describe('a database that freezes', () => {
  let freezable: Awaited<ReturnType<typeof startFreezable>>;
  let database: Database;
  before(async () => {
    freezable = await startFreezable(testDatabaseUri(`connect_${randomUUID().slice(0, 8)}`));
    database = await connectDatabase(freezable.uri, { log: pino({ level: 'silent' }) });
  });
  after(async () => {
    freezable.close();
    await database.close();
  });

  it('says so in time, and keeps nobody waiting who asked before', async function () {
    this.timeout(300_000);
    const rows = database.connection.collection<{ _id: number }>('rows');
    await rows.insertOne({ _id: 1 });
    expect(await database.isUp()).to.equal(true);
    freezable.freeze();
    const began = performance.now();
    let ended = 0;
    const took = async (work: Promise<unknown>): Promise<number> =>
      work.then(
        () => Number.NaN,
        () => {
          ended += 1;
          return performance.now() - began;
        },
      );
    const waiting = Promise.all([
      took(rows.findOne({ _id: 1 })),
      took(rows.find().toArray()),
      took(rows.insertOne({ _id: 2 })),
      took(rows.updateOne({ _id: 1 }, { $set: { a: 1 } })),
    ]);
    expect(await database.isUp()).to.equal(false);
    expect(ended, 'calls that the driver ended before, after 3 s').to.equal(0);
    expect(performance.now() - began, 'to know that it does not answer').to.be.below(5000);
    for (const ms of await waiting) expect(ms).to.be.below(12_000);
  });
});
