import { createServer } from 'node:net';
import { listenProblem, type ListenAddress } from '../../core/base/net/listen-problem.ts';
import { StartError } from './start-error.ts';

/** Throws a StartError where the API could not listen: said before anything is started for it. */
export async function checkPort({ host, port }: ListenAddress): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new StartError([listenProblem(error, { host, port })], { cause: error })));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
  });
}
