import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { testEncrypter } from '../../base/testing/test-encrypter.ts';
import { HOUR, MINUTE } from '../../base/async/time.ts';
import { createSessions, type Session, type Sessions } from './session.ts';

describe('createSessions', () => {
  const start = Date.UTC(2026, 0, 31, 12);
  const ada = { keyId: 'op_1', name: 'Ada', role: 'viewer' } as const;
  let at: number;
  let signedOutAt: Date | null;
  let sessions: Sessions;
  beforeEach(() => {
    at = start;
    signedOutAt = null;
    sessions = createSessions({
      operators: {
        authenticate: async () => ada,
        active: async () => ({ ...ada, signedOutAt }),
        signOut: async () => void (signedOutAt = new Date(at)),
      },
      encrypter: testEncrypter(),
      now: () => new Date(at),
    });
  });

  const cookieIn = (header: string): string => header.split(';')[0]!;
  const begin = async (): Promise<string> => cookieIn(await sessions.begin('gk_ops_…'));
  const readAt = async (time: number, cookie: string, user?: string): Promise<Session | undefined> => {
    at = time;
    return sessions.read(cookie, user === undefined ? undefined : { name: user, role: 'viewer' });
  };

  it('ends a session half an hour after the last request', async () => {
    const cookie = await begin();
    expect(await readAt(start + 30 * MINUTE - 1, cookie)).to.not.equal(undefined);
    expect(await readAt(start + 30 * MINUTE, cookie)).to.equal(undefined);
  });

  it('extends a session with each request, up to twelve hours in total', async () => {
    let cookie = await begin();
    const { formToken } = (await readAt(start, cookie))!;
    for (let time = start; time < start + 12 * HOUR; time += 29 * MINUTE) {
      const session = await readAt(time, cookie);
      expect(session?.formToken, new Date(time).toISOString()).to.equal(formToken);
      cookie = cookieIn(session!.cookie);
    }
    const last = start + 12 * HOUR - 1;
    cookie = cookieIn((await readAt(last, cookie))!.cookie);
    expect(await readAt(last + 1, cookie)).to.equal(undefined);
  });

  it('ends every session of the key on sign-out, but not a later session', async () => {
    const [own, other] = [await begin(), await begin()];
    const header = await sessions.end((await readAt(start + 1, own))!);
    expect(header).to.contain('gateway_console=; ');
    expect([await readAt(start + 2, own), await readAt(start + 2, other)]).to.deep.equal([undefined, undefined]);
    expect(await readAt(start + 3, await begin())).to.not.equal(undefined);
  });

  it('binds a session of single sign-on to the proxy and the user, and starts a new one when it has ended', async () => {
    const cookie = cookieIn((await readAt(start, '', 'ines'))!.cookie);
    const { formToken } = (await readAt(start + 1, cookie, 'ines'))!;
    expect((await readAt(start + 2, cookie, 'ines'))!.formToken).to.equal(formToken);
    expect(await readAt(start + 2, cookie)).to.equal(undefined);
    for (const other of [await readAt(start + 2, cookie, 'bo'), await readAt(start + HOUR, cookie, 'ines')])
      expect(other!.formToken).to.not.equal(formToken);
    await sessions.end((await readAt(start + 2, cookie, 'ines'))!);
    expect(signedOutAt).to.equal(null);
  });
});
