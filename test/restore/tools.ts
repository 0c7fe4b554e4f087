/** MongoDB's backup tools, which are distributed separately from the server. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findOnPath } from '../../workers/supervisor/dev/mongod/run-program.ts';

const runFile = promisify(execFile);

export interface Tools {
  readonly version: string;
  /** Both return the output of the tool. */
  dump(...words: readonly string[]): Promise<string>;
  restore(...words: readonly string[]): Promise<string>;
}

const names = { mongodump: 'MONGODUMP_BINARY', mongorestore: 'MONGORESTORE_BINARY' } as const;

export const toolsHelp = `npm run test:restore needs mongodump and mongorestore, and did not find both. Put the MongoDB Database Tools
(https://www.mongodb.com/try/download/database-tools, 100.6 or newer) on the PATH, or set MONGODUMP_BINARY and
MONGORESTORE_BINARY. With Go you can build them in a clone of https://github.com/mongodb/mongo-tools:
  go build -o ~/bin/mongodump ./mongodump/main && go build -o ~/bin/mongorestore ./mongorestore/main`;

/** Undefined if one of them is missing. */
export async function findTools(env: NodeJS.ProcessEnv): Promise<Tools | undefined> {
  const find = async (name: keyof typeof names): Promise<string | undefined> =>
    env[names[name]] || findOnPath(name, env);
  const [dump, restore] = [await find('mongodump'), await find('mongorestore')];
  if (dump === undefined || restore === undefined) return undefined;
  const run = async (file: string, words: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await runFile(file, words, { maxBuffer: 1 << 26 });
    return `${stdout}${stderr}`;
  };
  const said = await run(dump, ['--version']);
  return {
    version: /version: (\S+)/.exec(said)?.[1] ?? 'of an unknown version',
    dump: async (...words) => run(dump, words),
    restore: async (...words) => run(restore, words),
  };
}
