import { createServer } from 'node:net';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { chooseFreePort, isPortFree } from './choose-port.ts';

describe('chooseFreePort', () => {
  it('chooses free ports below those of outgoing connections, and never the same port twice', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, chooseFreePort));
    expect(new Set(ports)).to.have.lengthOf(50);
    for (const port of ports) expect(port).to.be.within(20_000, 29_999);
  });

  it('detects a taken port, and that it is free again', async () => {
    const port = await chooseFreePort();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    expect(await isPortFree(port)).to.equal(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isPortFree(port)).to.equal(true);
  });
});
