/** Is between a process and its mongod, and stands still as one whose server is frozen: nothing passes, nothing is closed. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { testDatabaseUri } from './test-database-uri.ts';

export interface DatabaseProxy {
  /** The database `name` through the proxy. */
  uri(name: string): string;
  /** Stands still as soon as a command whose bytes hold the text is sent: `before` the server has it, or once it does. */
  freezeAt(text: string, when: 'before' | 'after'): void;
  readonly isFrozen: boolean;
  /** Whatever was held goes on, also what nobody waits for any more. */
  resume(): void;
  close(): Promise<void>;
}

export async function startDatabaseProxy(): Promise<DatabaseProxy> {
  const target = new URL(testDatabaseUri('any').replace(/^mongodb:/, 'http:'));
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let wanted: { readonly bytes: Buffer; readonly when: 'before' | 'after' } | undefined;
  let isFrozen = false;

  /** At once, or when it goes on again. */
  const pass = (act: () => void): void => void (isFrozen ? held.push(act) : act());

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  }

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) keep(socket);
    client.on('data', (data: Buffer) => {
      const isMeant = wanted !== undefined && data.includes(wanted.bytes);
      if (isMeant && wanted?.when === 'before') isFrozen = true;
      pass(() => void upstream.write(data));
      if (isMeant) [isFrozen, wanted] = [true, undefined];
    });
    upstream.on('data', (data: Buffer) => pass(() => void (client.destroyed || client.write(data))));
    client.on('close', () => pass(() => upstream.end()));
    upstream.on('close', () => pass(() => client.end()));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    uri(name) {
      const uri = new URL(testDatabaseUri(name).replace(/^mongodb:/, 'http:'));
      [uri.hostname, uri.port] = ['127.0.0.1', String(port)];
      // Without this the driver goes to the address that the server says of itself.
      uri.searchParams.set('directConnection', 'true');
      return uri.href.replace(/^http:/, 'mongodb:');
    },
    freezeAt(text, when) {
      wanted = { bytes: Buffer.from(text), when };
    },
    get isFrozen() {
      return isFrozen;
    },
    resume() {
      isFrozen = false;
      for (const act of held.splice(0)) act();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
