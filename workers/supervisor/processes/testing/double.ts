/** A child process that behaves as its options say, for the tests of supervised processes. */
import { runChild } from '../child-process.ts';

export type Behaviour = 'well' | 'refuses' | 'dies' | 'hangs' | 'starts slowly' | 'blocks' | 'ignores stop';

/** How long its event loop is blocked before it is up, as when much code is loaded on a busy machine. */
const slowStartMs = 2500;

runChild(async ({ options }) => {
  const behaviour = options.extra as Behaviour;
  if (behaviour === 'refuses') throw Object.assign(new Error('both'), { problems: ['One is wrong.', 'Two is wrong.'] });
  if (behaviour === 'dies') process.exit(7);
  if (behaviour === 'starts slowly') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowStartMs);
  if (behaviour === 'hangs') await new Promise(() => undefined);
  return {
    report: { pid: process.pid },
    receive(message) {
      // A worker that gets work blocks its event loop forever, as a faulty adapter would.
      if (message.type === 'work' && behaviour === 'blocks')
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
    async stop() {
      if (behaviour === 'ignores stop') await new Promise(() => undefined);
    },
  };
});
