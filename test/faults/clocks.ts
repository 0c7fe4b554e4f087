/** Processes whose clocks are an hour wrong: times are judged by the clock of the database server. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../core/base/testing/until.ts';
import { MINUTE } from '../../core/base/async/time.ts';
import { cardBody } from '../support/bodies.ts';
import type { Receiver } from '../support/receiver.ts';
import { call, type Answer } from './load.ts';
import { amounts, deliverUntilAcknowledged, providerCode, unexplainedCallback } from './provider.ts';
import { runUnderLoad, type Row, type World } from './row.ts';

/** Payments of each kind. */
const count = 10;

interface Stored {
  readonly _id: number;
  readonly statusId: number;
}

/**
 * Payers return from 3D Secure with a token that is valid for half an hour, and unexplained declines wait a minute for
 * the provider's status.
 */
async function returnAndDecline({ service, receiver }: World): Promise<string[]> {
  const make = async (amount: number) =>
    call(service, `/payments/h2h/${providerCode}`, cardBody('4111111111111111', amount, { notifyUrl: receiver.url }));
  /** On a busy machine the provider may answer too late. */
  const makeUntil = async (amount: number, isSo: (answer: Answer) => boolean) =>
    Promise.all(
      Array.from({ length: count }, async () =>
        until('the provider answers', async () => [await make(amount)].find(isSo)),
      ),
    );
  const challenged = await makeUntil(amounts.challenged, ({ json }) => Boolean(json.action));
  const declined = await makeUntil(amounts.declined, ({ json }) => json.paymentRequest?.transactionNumber !== '');
  const problems: string[] = [];
  for (const { json } of challenged) {
    const back = new URL(json.action.url as string).searchParams.get('back') ?? '';
    const { status } = await fetch(`${service.url}${new URL(back).pathname}${new URL(back).search}&result=passed`, {
      redirect: 'manual',
    });
    if (status >= 400) problems.push(`a return was answered ${status}`);
  }
  for (const { id } of declined)
    await deliverUntilAcknowledged(service.url, unexplainedCallback(`GW-${id}-1`, amounts.declined));

  const payments = service.connection.collection<Stored>('paymentRequests');
  const filterFor = (answers: readonly { readonly id: number }[], statusId: number, code: string) => ({
    _id: { $in: answers.map(({ id }) => id) },
    statusId,
    ...(code && { 'logs.code': code }),
  });
  for (const [what, filter] of [
    ['payments with 3D Secure are paid', filterFor(challenged, 2, '')],
    ['declines have the code of the provider', filterFor(declined, 3, '51')],
  ] as const) {
    const isSo = async (): Promise<boolean> => (await payments.countDocuments(filter)) === count;
    await until(what, isSo).catch(async () => {
      problems.push(`${await payments.countDocuments(filter)} of ${count}: ${what}`);
    });
  }
  return problems;
}

async function runWith(world: World, ahead: 1 | -1) {
  const { service, receiver } = world;
  const file = join(service.folder, `clocks-${ahead}`);
  await service.end('SIGTERM');
  await service.start({
    NODE_OPTIONS: `--import ${new URL('wrong-clocks.js', import.meta.url).href}`,
    FAULTS_CLOCKS: JSON.stringify({ api: ahead, worker: -ahead }),
    FAULTS_CLOCKS_PROOF: file,
  });
  const refused = await call(service, '/nowhere', '{}');
  let problems: string[] = [];
  const more = async (): Promise<string> => {
    problems = await returnAndDecline(world);
    return `${count} returns from 3D Secure and ${count} unexplained declines in addition`;
  };
  const result = await runUnderLoad(world, 150, more, 50);
  const said = [Date.parse(refused.json.timestamp as string), signedAt(receiver)];
  if (said.some((time) => Math.abs(time - Date.now()) > 5 * MINUTE))
    problems.push(`merchants read wrong times: ${said.map((time) => new Date(time).toISOString()).join()}`);
  await service.end('SIGTERM');
  await service.start();
  const lines = new Set((await readFile(file, 'utf8')).trim().split('\n'));
  const expected = [`api ${ahead}`, `worker ${-ahead}`];
  if (!expected.every((line) => lines.has(line))) problems.push(`the clocks were ahead by: ${[...lines].join(', ')}`);
  return { figures: result.figures, problems: [...result.problems, ...problems] };
}

/** The time in the signature of the latest notification. */
function signedAt({ received }: Receiver): number {
  return Number(received.at(-1)?.headers['webhook-timestamp']) * 1000;
}

export const clockRows: readonly Row[] = ([1, -1] as const).map((ahead) => ({
  name: `the API’s clock an hour ${ahead > 0 ? 'ahead' : 'behind'}, the workers’ an hour ${ahead > 0 ? 'behind' : 'ahead'}`,
  run: async (world) => runWith(world, ahead),
}));
