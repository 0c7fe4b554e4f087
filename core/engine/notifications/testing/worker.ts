/** A worker process that tests can kill: `node worker.js <database> <worker>` delivers what is due. */
import mongoose from 'mongoose';
import { setUp } from './setup.ts';

const [, , uri = '', worker = ''] = process.argv;
// Keeps the driver's default timeouts: a new process is slow while others use the machine.
const connection = await mongoose.createConnection(uri).asPromise();
await setUp(connection).notifications.deliverDue({ worker });
await connection.close();
