import { defined, hash } from '@paywright/contract';
import type { CoreSays } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { deliver, encoded, paid, given, type Fields, salt, reported } from '../messages.ts';

const outcomes = ['accepted', 'duplicate', 'unknown_reference', 'ignored'] as const satisfies readonly CoreSays[];
const [pageSecret, previousPageSecret] = given.accounts[0]!.pageSecrets as [string, string];

/** A return from C's page. `names` is the order of `c_fields`. */
function brought(changes: Fields = {}, names?: readonly string[], secret: string = pageSecret): string {
  const { c_id, c_ref, c_total, c_state, c_key } = { ...paid, ...changes };
  const all: Fields = { c_id, c_ref, c_total, c_state, c_key, ...changes };
  const named = names ?? ['secret', 'c_fields', ...Object.keys(all).filter((name) => all[name] !== undefined)];
  const fields: Fields = { ...all, c_fields: changes['c_fields'] ?? named.join(',') };
  const lines = named.map((name) => (name === 'secret' ? secret : fields[name]));
  return encoded({ c_print: hash('sha256', lines.join('\n')).toString('hex'), ...fields });
}

const needed = ['c_key', 'c_ref', 'c_total', 'c_state', 'c_fields', 'secret'];

describe('callback providerChp, the return from the hosted page', () => {
  for (const [state, status] of [
    ['success', 'succeeded'],
    ['failure', 'failed'],
    ['pending', 'pending'],
    ['usercancel', 'cancelled'],
    ['lapsed', 'expired'],
    ['challenge', 'unknown'],
    ['SUCCESS', 'unknown'],
  ] as const) {
    it(`reads ${state} as ${status}, the same event as the server form`, async () => {
      const [back, server] = [
        await deliver('providerChp', brought({ c_state: state })),
        await deliver('providerC', reported({ c_state: state })),
      ];
      expect(back.events[0]).to.include({ status });
      expect(back.events).to.deep.equal(server.events);
    });
  }

  for (const [why, decline, more] of [
    ['do_not_honour', '05', {}],
    ['no_funds', '51', {}],
    ['card_expired', '54', {}],
    ['not_allowed', '57', {}],
    ['over_limit', '61', {}],
    ['auth_failed', '05', { threeDsResult: 'N' }],
    ['moon', '05', {}],
  ] as const) {
    it(`reads a failure for ${why} as decline ${decline}, with its text`, async () => {
      const { events } = await deliver('providerChp', brought({ c_state: 'failure', c_why: why, c_msg: 'Sorry' }));
      expect(events[0]).to.include({ decline, declineText: 'Sorry', ...more });
      expect('threeDsResult' in events[0]!).to.equal('threeDsResult' in more);
    });
  }

  it('reports no decline if the reason is not named, or nothing failed', async () => {
    const unnamed = brought({ c_state: 'failure', c_why: 'no_funds', c_msg: 'Sorry' }, [...needed, 'c_msg']);
    for (const body of [unnamed, brought({ c_state: 'success', c_why: 'no_funds' })]) {
      const { events } = await deliver('providerChp', body);
      expect(events).to.have.length(1);
      expect(events[0]).not.to.have.any.keys('decline', 'declineText');
    }
  });

  it('ignores a field that is not named', async () => {
    const reference = async (body: string) => (await deliver('providerChp', body)).events[0]?.providerReference;
    expect(await reference(brought({}, needed))).to.equal(null);
    expect(await reference(brought({ c_id: 'no digits' }, needed))).to.equal(null);
    expect(await reference(brought({ c_id: undefined }))).to.equal(null);
    expect(await reference(brought({ c_id: '' }))).to.equal(null);
    expect(await reference(brought({}, [...needed, 'c_id']))).to.equal('700000000000000181');
    expect((await deliver('providerChp', brought({ c_id: 'no digits' }))).genuine).to.equal('malformed');
  });

  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`extra${at}`, 'x']));
  for (const [name, body, verdict] of [
    ['the previous secret', brought({}, undefined, previousPageSecret), true],
    [
      'capitals in the print',
      brought().replace(/c_print=(\w+)/, (all) => all.toUpperCase().replace('C_PRINT', 'c_print')),
      true,
    ],
    ['a salt instead of the secret', brought({}, undefined, salt), 'invalid_signature'],
    ['an empty secret', brought({}, undefined, ''), 'invalid_signature'],
    ['a field called secret', brought({ secret: 'x' }, needed), true],
    ['a strange account', brought({ c_key: 'GWDEMO99' }), 'invalid_signature'],
    ['another account of ours', brought({ c_key: 'GWDEMO02' }), 'invalid_signature'],
    ...needed.map(
      (gone) =>
        [
          `${gone} not named`,
          brought(
            {},
            needed.filter((one) => one !== gone),
          ),
          'invalid_signature',
        ] as const,
    ),
    ['a name twice', brought({}, [...needed, 'c_ref']), 'invalid_signature'],
    ['secret twice', brought({}, [...needed, 'secret']), 'invalid_signature'],
    ['a name that is not there', brought({}, [...needed, 'c_why']), 'invalid_signature'],
    ['an empty name', brought({}, [...needed, '']), 'invalid_signature'],
    [
      'names with spaces',
      brought(
        {},
        needed.map((one, at) => (at ? ` ${one}` : one)),
      ),
      'invalid_signature',
    ],
    ['40 names', brought(many(34), [...needed, ...Object.keys(many(34))]), true],
    ['41 names', brought(many(35), [...needed, ...Object.keys(many(35))]), 'invalid_signature'],
    ['no names', brought().replace(/c_fields=[^&]*/, ''), 'invalid_signature'],
    ['no print', brought().replace(/c_print=[^&]*/, ''), 'invalid_signature'],
    ['a print cut', brought().replace(/(c_print=\w+)\w\b/, '$1'), 'invalid_signature'],
    [
      'lines moved between fields',
      brought({ c_total: '25.90\nx', c_msg: 'y' }).replace('%0Ax&', '&'),
      'invalid_signature',
    ],
    ...['c_key', 'c_ref', 'c_total', 'c_state'].flatMap(
      (gone) =>
        [
          [`no ${gone}`, brought({ [gone]: undefined }), 'malformed'],
          [`an empty ${gone}`, brought({ [gone]: '' }), 'malformed'],
        ] as const,
    ),
    ['the names twice', `${brought()}&c_fields=`, 'malformed'],
    ['a broken escape', `${brought()}&z=%`, 'malformed'],
    ['a total that is not a number', brought({ c_total: 'much' }), 'malformed'],
    ['a total with a line feed', brought({ c_total: '25.90\n' }), 'malformed'],
    [
      'a total that is not a number, and a wrong print',
      brought({ c_total: 'much' }).replace('much', 'more'),
      'invalid_signature',
    ],
    ['a refund without its id', brought({ c_state: 'refunded' }), 'malformed'],
  ] as const) {
    it(`calls ${name} ${verdict === true ? 'genuine' : verdict}`, async () => {
      expect((await deliver('providerChp', body)).genuine).to.equal(verdict);
    });
  }

  it('requires a form', async () => {
    expect((await deliver('providerChp', brought(), { headers: [] })).genuine).to.equal('malformed');
    expect((await deliver('providerChp', brought(), { headers: [['Content-Type', 'text/plain']] })).genuine).to.equal(
      'malformed',
    );
  });

  it('redirects the payer by the reference, and otherwise shows a short page', async () => {
    const answerTo = async (body: string, coreSays?: CoreSays) =>
      (await deliver('providerChp', body, defined({ coreSays }))).acknowledgement;
    for (const says of outcomes) {
      const Location = 'https://gateway.example/pay/10042';
      expect(await answerTo(brought(), says)).to.deep.equal({ status: 303, headers: { Location }, body: '' });
      expect(await answerTo(brought({ c_ref: 'SHOP-1' }), says)).to.deep.equal({
        status: 404,
        headers: {},
        body: null,
      });
    }
    const forged = encoded({ c_key: 'GWDEMO01', c_ref: 'GW-10042-1', c_total: '1', c_state: 'success' });
    expect(await answerTo(forged)).to.include({ status: 403, body: null });
    expect(await answerTo('')).to.include({ status: 400, body: null });
    expect(await answerTo(brought({ c_total: 'much' }))).to.include({ status: 400, body: null });
    expect(await answerTo(brought(), 'try_later')).to.include({ status: 503, body: null });
  });
});
