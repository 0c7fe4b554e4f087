import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const host = '127.0.0.1';
const chosen = new Set<number>();

/**
 * Chooses a free port of 127.0.0.1, and never the same port twice in a process. The port is between 20000 and 29999,
 * because a chosen port is kept with the data. Systems use higher ports for outgoing connections (Linux from 32768 on),
 * and such a port may be taken when the service starts again.
 */
export async function chooseFreePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(20_000, 30_000);
    if (!chosen.has(port) && (await isPortFree(port))) {
      chosen.add(port);
      return port;
    }
  }
  throw new Error(`No free port found on ${host} between 20000 and 29999.`);
}

export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
