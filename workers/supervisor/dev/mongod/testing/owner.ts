/** A process that owns a mongod, for tests that signal or kill such a process: `owner.js <binary> <dbPath> <port>`. */
import { startMongod } from '../start-mongod.ts';

const [binary = '', dbPath = '', port = ''] = process.argv.slice(2);
const { pid, uri } = await startMongod({ binary, dbPath, port: Number(port), report: () => {} });
process.on('SIGINT', () => console.log('interrupted'));
console.log(`mongod ${pid} ${uri}`);
