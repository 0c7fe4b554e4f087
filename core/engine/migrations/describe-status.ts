/** The plan and the progress of a migration as sentences, for the command and the console. */
import type { MigrationStatus } from './status.ts';

/** Documents per second that a worker moves, measured on 2 busy cores with mongod on the same machine. */
const documentsPerSecond = 1000;

/** One line, such as "Schema version 6 of 7: 1,200 of about 5,000 documents read, 900 moved, about 2 s left." */
export function describeProgress(status: MigrationStatus, now = new Date()): string {
  const { version, to, state, read, moved } = status;
  const [before, counts] = [`Schema version ${version} of ${to}:`, `${count(moved)} moved`];
  if (state === 'waiting') return `${before} not started. ${nextStep(status)}`;
  if (state === 'moved') return `${before} all documents were moved. ${nextStep(status)}`;
  if (state === 'finishing' && status.earlierHosts.length > 0) return `${before} ${waitsForHosts(status)}`;
  const total = Math.max(documentsOf(status), read);
  const step = state === 'finishing' ? 'last check, ' : '';
  return `${before} ${step}${count(read)} of about ${count(total)} documents read, ${counts}${timeLeft(status, now)}.`;
}

/** The lines of `--plan`. */
export function describePlan(status: MigrationStatus): readonly string[] {
  const { version, to, moves, removes, workers } = status;
  const documents = documentsOf(status);
  return [
    `The database has schema version ${version}; this version uses ${to}. The service keeps running during all steps.`,
    '',
    '1. Expand: rules and indexes that both versions can use. Every start does this, and --apply.',
    `2. Move (--apply): about ${count(documents)} documents are read, ${duration(documents / documentsPerSecond)} (one worker at a time).`,
    ...moves.map((move) => `     ${move.collection}: ${move.what} (about ${count(move.documents)} documents)`),
    '   Until the next step, hosts of the previous version can run and be started again.',
    '3. Finish (--finish): reads all documents once more, and removes what only the previous version needs:',
    ...removes.map((one) => `     ${one}`),
    '   From then on, the previous version cannot start on this database.',
    '',
    workers > 0
      ? `Workers of this version: ${workers}. They move the documents.`
      : 'No worker of this version runs: the command moves the documents itself.',
    ...(status.earlierHosts.length > 0 ? [waitsForHosts(status)] : []),
    ...(status.state === 'waiting' ? [] : [describeProgress(status)]),
    ...(status.state === 'waiting' || status.state === 'moved' ? [nextStep(status)] : []),
  ];
}

/** What an operator does next, as a sentence. */
function nextStep({ state }: Pick<MigrationStatus, 'state'>): string {
  if (state === 'waiting') return 'Next: paywright database migrate --apply';
  if (state === 'moved') return 'Next, once this version has proven itself: paywright database migrate --finish';
  return 'Next: wait until the step in progress ends.';
}

function waitsForHosts({ earlierHosts }: MigrationStatus): string {
  const names = earlierHosts.map(({ hostname, seenAt }) => `${hostname} (last seen ${seenAt.toISOString()})`);
  return `The last step needs that no host of the previous version runs. These run: ${names.join(', ')}.`;
}

const documentsOf = ({ moves }: MigrationStatus): number => moves.reduce((sum, { documents }) => sum + documents, 0);

const count = (number: number): string => number.toLocaleString('en');

function timeLeft(status: MigrationStatus, now: Date): string {
  const { read, since } = status;
  const seconds = (now.getTime() - (since ?? now).getTime()) / 1000;
  const left = documentsOf(status) - read;
  return read > 0 && seconds > 0 && left > 0 ? `, ${duration((left * seconds) / read)} left` : '';
}

function duration(seconds: number): string {
  if (seconds < 90) return `about ${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5400 ? `about ${Math.round(seconds / 60)} minutes` : `about ${Math.round(seconds / 3600)} hours`;
}
