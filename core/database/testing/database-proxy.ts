/**
 * A proxy between a process and its mongod. It can hang like a frozen server or a hanging disk: held messages do not
 * pass, and no connection is closed.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { commandNameOf } from './command-name.ts';
import { testDatabaseUri } from './test-database-uri.ts';

export interface DatabaseProxy {
  /** The URI of the database `name` through the proxy. */
  uri(name: string): string;
  /** Freezes as soon as a command that contains the text is sent: `before` the server receives it, or `after`. */
  freezeAt(text: string, when: 'before' | 'after'): void;
  /** Blocks all messages from now on. */
  freeze(): void;
  /** Blocks only these commands from now on. */
  hold(...commands: readonly string[]): void;
  /** The number of held messages. */
  readonly held: number;
  readonly isFrozen: boolean;
  /** Forwards all held messages, even if no caller waits for them any more. */
  resume(): void;
  close(): Promise<void>;
}

export async function startDatabaseProxy(): Promise<DatabaseProxy> {
  const target = new URL(testDatabaseUri('any').replace(/^mongodb:/, 'http:'));
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let wanted: { readonly bytes: Buffer; readonly when: 'before' | 'after' } | undefined;
  let isFrozen = false;
  let heldCommands: readonly string[] = [];

  /** Runs the action immediately, or on `resume`. */
  const pass = (act: () => void, isHeld = false): void => void (isFrozen || isHeld ? held.push(act) : act());

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  }

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) keep(socket);
    // Messages behind a held message wait too, including the end of the connection.
    let isHeld = false;
    onMessages(client, (message) => {
      const isMeant = wanted !== undefined && message.includes(wanted.bytes);
      if (isMeant && wanted?.when === 'before') isFrozen = true;
      isHeld ||= heldCommands.includes(commandNameOf(message));
      const send = (): void => {
        isHeld = false;
        upstream.write(message);
      };
      pass(send, isHeld);
      if (isMeant) [isFrozen, wanted] = [true, undefined];
    });
    upstream.on('data', (data: Buffer) => pass(() => void (client.destroyed || client.write(data))));
    client.on('close', () => pass(() => upstream.end(), isHeld));
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
      // Without this option the driver connects to the address that the server reports for itself.
      uri.searchParams.set('directConnection', 'true');
      return uri.href.replace(/^http:/, 'mongodb:');
    },
    freezeAt(text, when) {
      wanted = { bytes: Buffer.from(text), when };
    },
    freeze() {
      isFrozen = true;
    },
    hold(...commands) {
      heldCommands = commands;
    },
    get held() {
      return held.length;
    },
    get isFrozen() {
      return isFrozen;
    },
    resume() {
      [isFrozen, heldCommands] = [false, []];
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

/** Calls the listener with each complete message. The first four bytes of a message are its length. */
function onMessages(socket: Socket, listener: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      listener(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  });
}
