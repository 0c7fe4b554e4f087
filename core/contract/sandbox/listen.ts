/** Runs a sandbox on a port of this machine. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CreateSandbox, Sandbox, SandboxProvider, SandboxSetup } from './sandbox-contract.ts';
import { indexPage } from './pages.ts';
import { writeReply } from './reply.ts';
import { createTriggerRoute, triggerPath } from './trigger-route.ts';

export interface RunningSandbox {
  /** The address that it listens on, without a trailing slash. */
  readonly baseUrl: string;
  /** Stops listening, and drops every connection and every waiting delivery. */
  close(): Promise<void>;
}

export interface ListenSetup<Options> extends Omit<SandboxSetup<Options>, 'baseUrl'> {
  /** Named by the page at the root. Absent: that page names no provider. */
  readonly provider?: SandboxProvider;
}

/** Starts a sandbox on 127.0.0.1; port 0 takes a free port. Rejects if the port is in use. */
export async function listen<Options>(
  createSandbox: CreateSandbox<Options>,
  { provider, ...setup }: ListenSetup<Options>,
  port = 0,
): Promise<RunningSandbox> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  const sandbox = await create(createSandbox, { ...setup, baseUrl }, stop);
  const trigger = createTriggerRoute(sandbox);
  // A sandbox for an earlier contract names no causes, and may have a route of its own for the root.
  const { testValues } = createSandbox;
  const index = sandbox.causes && indexPage(sandbox, { provider, testValues, publicUrl: setup.publicUrl });
  server.on('request', (request, response) => {
    if (request.url === triggerPath) void trigger(request, response);
    else if (index && request.url === '/' && request.method === 'GET') writeReply(response, index);
    else void answer(sandbox, request, response);
  });
  return {
    baseUrl,
    async close() {
      await Promise.all([stop(), sandbox.close()]);
    },
  };
}

async function create<Options>(
  createSandbox: CreateSandbox<Options>,
  setup: SandboxSetup<Options>,
  stop: () => Promise<void>,
): Promise<Sandbox> {
  try {
    return createSandbox(setup);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function answer(sandbox: Sandbox, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await sandbox.handle(request, response);
  } catch (error) {
    response.destroy();
    process.emitWarning(error instanceof Error ? error : new Error(String(error)));
  }
}
