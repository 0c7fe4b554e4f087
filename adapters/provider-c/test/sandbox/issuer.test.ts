import type { CompletionStep } from '@paywright/contract';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  actionOf,
  browse,
  follow,
  locationOf,
  look,
  payment,
  press,
  startVisit,
  textOf,
  backOf,
  type Back,
  type Visit,
} from './visit.ts';

/** The step that core makes from the browser's post. */
function stepOf({ fields }: Back): CompletionStep {
  const [field, value] = Object.entries(fields)[0] as ['cres' | 'PaRes' | 'threeDSMethodData', string];
  return { kind: '3ds', field, value, transactionId: null, hint: '' };
}

const result = (cres: string): Record<string, string> =>
  JSON.parse(Buffer.from(cres, 'base64url').toString()) as Record<string, string>;

describe('the issuer of the sandbox', () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  async function open(given = payment('4000000000003220')) {
    const outcome = await visit.submit(given);
    return { given, outcome, action: actionOf(outcome), stored: visit.trip.toStored(given, outcome) };
  }

  for (const [choice, letter, expected, reported] of [
    ['pass', 'Y', { outcome: 'succeeded' }, 'success'],
    ['fail', 'N', { outcome: 'failed', decline: '05', threeDsResult: 'N' }, 'failure'],
  ] as const) {
    it(`${choice}es a challenge`, async () => {
      const { action, stored } = await open();
      const page = locationOf(await follow(action));
      const shown = textOf(await look(page));
      expect(shown).to.contain('value="pass"').and.contain('value="fail"').and.contain('<form method="post"');
      const back = await press(page, choice);
      expect(back.action).to.equal(`${visit.trip.provider.publicUrl}/callbacks/3ds`);
      expect(back.fields['threeDSSessionData']).to.equal('dG9rZW4');
      expect(result(back.fields['cres']!)).to.include({
        messageType: 'CRes',
        transStatus: letter,
        threeDSServerTransID: stored.action?.type === 'redirect' && stored.action.transactionId,
      });
      expect(await visit.trip.fetched(stored)).to.deep.equal(['challenge pending 25.90']);
      const ended = await visit.complete(stored, stepOf(back));
      expect(ended).to.include(expected);
      await visit.hears(reported);
      expect(await visit.complete(stored, { kind: 'return' })).to.deep.equal(ended);
    });
  }

  it('shows the challenge again before a press, keeps the first press, and posts itself', async () => {
    const { action, stored, outcome } = await open();
    expect(await visit.complete(stored, { kind: 'return' })).to.deep.equal(outcome);
    const page = locationOf(await follow(action));
    expect(textOf(await browse(page, { choice: 'maybe' }))).to.contain('value="pass"');
    const html = textOf(await browse(page, { choice: 'fail' }));
    expect(html).to.contain('<form id="return" method="post"').and.contain('name="cres"').and.contain('.submit()');
    const again = await press(page, 'pass');
    expect(result(again.fields['cres']!)).to.include({ transStatus: 'N' });
  });

  it('uses 3DS 1 for names that begin with PAREQ', async () => {
    const { action, stored } = await open(payment('4000000000003220', '25.9', { name: 'PAREQ Zoë' }));
    const back = await press(locationOf(await follow(action)), 'pass');
    expect(back.action).to.equal(`${visit.trip.provider.publicUrl}/callbacks/3ds`);
    expect(Object.keys(back.fields)).to.deep.equal(['PaRes', 'MD']);
    expect(back.fields['MD']).to.equal('dG9rZW4');
    expect(await visit.complete(stored, stepOf(back))).to.include({ outcome: 'succeeded' });
  });

  it('requires the method step first for names that begin with METHOD', async () => {
    const { action, stored } = await open(payment('4000000000003220', '25.9', { name: 'METHOD Zoë' }));
    const back = backOf(await follow(action, 'application/json'));
    expect(back.action).to.equal(`${visit.trip.provider.publicUrl}/callbacks/3ds?t=dG9rZW4`);
    const transactionId = action.type === 'redirect' ? action.transactionId : '';
    expect(result(back.fields['threeDSMethodData']!)).to.deep.equal({ threeDSServerTransID: transactionId });
    const next = await visit.complete(stored, stepOf(back));
    const page = locationOf(await follow(actionOf(next)));
    expect(await visit.complete(stored, stepOf(await press(page, 'pass')))).to.include({ outcome: 'succeeded' });
  });

  for (const [number, is3ds, outcome] of [
    ['4000000000003220', false, 'succeeded'],
    ['4111111111111111', true, 'pending'],
    ['4000000000000440', true, 'pending'],
    ['4111111111111111', undefined, 'succeeded'],
    ['4000000000000002', true, 'failed'],
  ] as const) {
    it(`ends ${number} as ${outcome} if 3D Secure is ${is3ds === undefined ? 'left to C' : is3ds ? 'demanded' : 'skipped'}`, async () => {
      const given = payment(number, '25.9', is3ds === undefined ? {} : { is3ds });
      const answer = await visit.submit(given);
      expect(answer.outcome).to.equal(outcome);
      expect('action' in answer).to.equal(outcome === 'pending');
    });
  }

  it('follows the card once the challenge is passed', async () => {
    const { action, stored } = await open(payment('4000000000006975', '25.9', { is3ds: true }));
    const back = await press(locationOf(await follow(action)), 'pass');
    const lost = await visit.complete(stored, stepOf(back)).catch((error: unknown) => error);
    expect(lost).to.include({ failure: 'no_answer' });
    await visit.hears('success');
    expect(await visit.complete(stored, stepOf(back))).to.include({ outcome: 'succeeded' });
  });

  it('ends an abandoned challenge after 15 minutes', async () => {
    const { stored } = await open();
    const realNow = Date.now;
    Date.now = () => realNow() + 15 * 60_000 + 1;
    try {
      expect(await visit.trip.fetched(stored)).to.deep.equal(['failure failed 25.90']);
    } finally {
      Date.now = realNow;
    }
    await visit.hears('failure');
    expect(await visit.complete(stored, { kind: 'return' })).to.include({ outcome: 'failed', threeDsResult: 'N' });
  });

  it('refuses an unknown challenge', async () => {
    const acs = `${visit.trip.sandboxUrl}/acs`;
    expect((await browse(acs, { creq: 'e30' })).status).to.equal(404);
    expect((await browse(acs, {})).status).to.equal(404);
    expect((await browse(`${acs}/method`, { threeDSMethodData: 'e30' })).status).to.equal(404);
    expect((await look(`${acs}/NONE`)).status).to.equal(404);
    const { action } = await open(payment('4000000000003220', '25.9', { name: 'PAREQ Zoë' }));
    const { PaReq } = (action.type === 'redirect' && action.fields) || {};
    expect((await browse(acs, { PaReq })).status).to.equal(400);
  });
});
