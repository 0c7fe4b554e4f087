import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createLog } from './log.ts';
import { holdTimers } from '../testing/hold-timers.ts';
import { until } from '../testing/until.ts';

const card = '4111111111111111';

describe('createLog', () => {
  const logged = (act: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    act(createLog({ level: 'info', name: 'worker-1', destination: { write } }));
    return lines;
  };

  it('writes time, process and message, one line each, from its level up', () => {
    const [line, ...rest] = logged((log) => {
      log.debug('too small');
      log.info({ requestId: 'r-1', paymentRequestId: 1_730_000_000_123 }, 'payment created');
    });
    expect(rest).to.deep.equal([]);
    expect(line).to.include({ level: 'info', process: 'worker-1', pid: process.pid, msg: 'payment created' });
    expect(line).to.include({ requestId: 'r-1', paymentRequestId: 1_730_000_000_123 });
    expect(line?.['time']).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('hides sensitive members at any depth and in any spelling, and keeps members that only look similar', () => {
    const [line] = logged((log) =>
      log.info({
        number: card,
        nested: { list: [{ deep: { CVV: '737', upiId: 'a@b', 'X-API-Key': 'gk', webhook_secret: 's' } }] },
        code: '482913',
        headers: { authorization: 'Bearer x', accept: 'text/html' },
        token: { inner: 'tok_1' },
      }),
    );
    expect(line).to.deep.include({
      number: '[hidden]',
      nested: {
        list: [{ deep: { CVV: '[hidden]', upiId: '[hidden]', 'X-API-Key': '[hidden]', webhook_secret: '[hidden]' } }],
      },
      code: '[hidden]',
      headers: { authorization: '[hidden]', accept: 'text/html' },
      token: '[hidden]',
    });
    const [fine] = logged((log) => log.info({ code: 'PAY001', number: 3, attempt: { code: '05' }, keyId: 'key_1' }));
    expect(fine).to.deep.include({ code: 'PAY001', number: 3, attempt: { code: '05' }, keyId: 'key_1' });
  });

  it('masks card numbers, keys, secrets and passwords inside texts, and keeps our ids', () => {
    const [line] = logged((log) =>
      log.info(
        {
          detail: `card ${card}, 4111 1111 1111 1111`,
          uri: 'mongodb://me:pw@db/x',
          own: 'GW-1730000000123-1',
          operator: 'gk_ops_abc',
        },
        `keys gk_test_abc, gk_ops_abc and whsec_a+/b= for ${card}`,
      ),
    );
    expect(line).to.include({
      detail: 'card [hidden], [hidden]',
      uri: 'mongodb://[hidden]@db/x',
      own: 'GW-1730000000123-1',
      operator: 'gk_ops_[hidden]',
      msg: 'keys gk_test_[hidden], gk_ops_[hidden] and whsec_[hidden] for [hidden]',
    });
  });

  it('writes type, message, code, stack and cause of an error, and none of its other members', () => {
    const cause = Object.assign(new RangeError(`refused ${card}`), { document: { number: card } });
    const error = Object.assign(new Error('not stored', { cause }), { code: 11_000, keyValue: { secret: 'x' } });
    const [line] = logged((log) => log.error({ err: error }, 'failed'));
    const { err } = line as { err: Record<string, unknown> };
    expect(err).to.have.all.keys('type', 'message', 'code', 'stack', 'cause');
    expect(err).to.deep.include({ type: 'Error', message: 'not stored', code: 11_000 });
    expect(err['cause']).to.include({ type: 'RangeError', message: 'refused [hidden]' });
    expect(JSON.stringify(line)).to.not.include(card);
    expect(JSON.stringify(logged((log) => log.error(error)))).to.not.include(card);
  });

  it('writes only to standard output if configured so', async () => {
    const module = new URL('./log.js', import.meta.url).href;
    const program = `import { createLog } from '${module}';
      createLog({ level: 'info', name: 'api', destination: { stdout: true, stderr: false } }).info('here');`;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stderr).to.equal('');
    expect(JSON.parse(stdout)).to.include({ process: 'api', msg: 'here' });
  });

  it('appends whole lines to its file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-log-'));
    try {
      const file = join(folder, 'gateway.log');
      for (const name of ['api', 'worker-1']) createLog({ level: 'info', name, destination: { file } }).info('here');
      // Each logger writes in the background.
      const lines = await until('both lines are written', async () => {
        const text = await readFile(file, 'utf8');
        return text.match(/\n/g)?.length === 2 && text.trim().split('\n');
      });
      const said = lines.map((line) => (JSON.parse(line) as { process: string }).process);
      expect(said).to.have.members(['api', 'worker-1']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('sets a timer only while a line is not written yet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-log-'));
    const timers = holdTimers();
    try {
      const file = join(folder, 'gateway.log');
      const log = createLog({ level: 'info', name: 'api', destination: { file } });
      expect(timers.endAll()).to.equal(0);
      for (const times of [1, 2]) {
        log.info('here');
        expect(timers.endAll()).to.equal(1);
        await until('no timer is left', () => timers.endAll() === 0);
        expect((await readFile(file, 'utf8')).match(/\n/g)).to.have.length(times);
      }
    } finally {
      timers.restore();
      await rm(folder, { recursive: true });
    }
  });
});
