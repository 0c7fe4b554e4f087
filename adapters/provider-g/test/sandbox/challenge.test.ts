import type { CompletionStep, Outcome, Submission } from '@paywright/contract';
import { sendRequest, type CallbackReply } from '@paywright/contract/sandbox';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerG from '../../index.ts';
import { payment, startVisit, type Visit } from './visit.ts';

type Press = 'pass' | 'fail';

describe('3D Secure at the sandbox', () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  const actionOf = (outcome: Outcome) => {
    const action = outcome.outcome === 'pending' ? outcome.action : undefined;
    if (action?.type !== 'redirect') throw new Error(`no challenge: ${outcome.outcome}`);
    return action;
  };
  const form = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();
  const opened = (outcome: Outcome): Promise<CallbackReply> => {
    const { url, fields = {} } = actionOf(outcome);
    return sendRequest({ method: 'POST', url, body: form(fields) }, 2000);
  };
  async function press(outcome: Outcome, choice: Press): Promise<Readonly<Record<string, string>>> {
    const { url } = actionOf(outcome);
    const headers = { Accept: 'application/json' };
    const body = form({ choice, threeDSSessionData: 'the-token' });
    const back = await sendRequest({ method: 'POST', url: `${url}/answer`, headers, body }, 2000);
    const { action, method, fields } = JSON.parse(back.body.toString()) as Record<string, never>;
    expect([method, action]).to.deep.equal(['POST', `${visit.ctx.publicUrl}/callbacks/3ds`]);
    return fields!;
  }
  const complete = (given: Submission<'card'>, outcome: Outcome, value: string): Promise<Outcome> => {
    const step: CompletionStep = { kind: '3ds', field: 'cres', value, transactionId: null, hint: 'Y' };
    return providerG.complete!(visit.trip.toStored(given, outcome), step, visit.ctx);
  };
  const challenged = (given: Submission<'card'>): Promise<Outcome> => providerG.submit(given, visit.ctx);

  for (const [number, more, choice, expected, reported] of [
    ['4000000000003220', {}, 'pass', { outcome: 'succeeded' }, 'PAID succeeded'],
    ['4000000000003220', {}, 'fail', { outcome: 'failed', decline: '05', threeDsResult: 'N' }, 'UNPAID failed'],
    ['4111111111111111', { is3ds: true }, 'pass', { outcome: 'succeeded' }, 'PAID succeeded'],
    ['4111111111111111', { is3ds: true }, 'fail', { outcome: 'failed', threeDsResult: 'N' }, 'UNPAID failed'],
  ] as const) {
    it(`${choice === 'pass' ? 'passes' : 'fails'} card ${number}${'is3ds' in more ? ' on demand' : ''}, once`, async () => {
      const given = payment(number, '25.9', more);
      const outcome = await challenged(given);
      const { transactionId, fields } = actionOf(outcome);
      expect(fields).to.have.keys('creq', 'threeDSSessionData').and.include({ threeDSSessionData: 'the-token' });
      expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal(['waiting']);

      const { cres, threeDSSessionData } = await press(outcome, choice);
      expect(threeDSSessionData).to.equal('the-token');
      expect(JSON.parse(Buffer.from(cres!, 'base64url').toString())).to.include({
        threeDSServerTransID: transactionId,
        messageType: 'CRes',
        transStatus: choice === 'pass' ? 'Y' : 'N',
      });
      const completed = await complete(given, outcome, cres!);
      expect(completed).to.include(expected);
      await visit.hears(reported);
      expect(await complete(given, outcome, cres!)).to.deep.equal(completed);
      expect(visit.trip.heard).to.have.length(1);
    });
  }

  it('is not completed before the payer has chosen, nor with a result that was not issued', async () => {
    const given = payment('4000000000003220');
    const outcome = await challenged(given);
    expect((await complete(given, outcome, 'eyJ0')).outcome).to.equal('unknown');
    const { cres } = await press(outcome, 'fail');
    const result = JSON.parse(Buffer.from(cres!, 'base64url').toString()) as object;
    const lie = Buffer.from(JSON.stringify({ ...result, transStatus: 'Y' })).toString('base64url');
    expect((await complete(given, outcome, lie)).outcome).to.equal('unknown');
    expect(await visit.trip.fetched(visit.trip.toStored(given, outcome))).to.deep.equal(['waiting']);
    expect((await complete(given, outcome, cres!)).outcome).to.equal('failed');
  });

  it('answers a repeated completion in the same way if capture waits', async () => {
    const given = payment('4000000000003220', '25.9', { captureDelayHours: 1 });
    const outcome = await challenged(given);
    const { cres } = await press(outcome, 'pass');
    expect(await complete(given, outcome, cres!)).to.include({ outcome: 'pending', authorised: true });
    await visit.hears('PAID succeeded');
    expect(await complete(given, outcome, cres!)).to.include({ outcome: 'pending', authorised: true });
  });

  it('keeps the first choice', async () => {
    const outcome = await challenged(payment('4000000000003220'));
    expect(await press(outcome, 'fail')).to.deep.equal(await press(outcome, 'pass'));
  });

  it('shows a page with two buttons, then a page that posts itself back', async () => {
    const outcome = await challenged(payment('4000000000003220'));
    const { url } = actionOf(outcome);
    const page = (await opened(outcome)).body.toString();
    expect(page).to.contain(`<form method="post" action="${new URL(url).pathname}/answer">`);
    expect(page).to.contain('<input type="hidden" name="threeDSSessionData" value="the-token" />');
    for (const choice of ['pass', 'fail']) {
      expect(page).to.contain(`<button type="submit" name="choice" value="${choice}">`);
    }
    const tried = await sendRequest({ method: 'GET', url }, 2000);
    expect([tried.status, tried.body.toString().includes('name="choice"')]).to.deep.equal([200, true]);

    const body = form({ choice: 'pass', threeDSSessionData: 'a"b' });
    const back = (await sendRequest({ method: 'POST', url: `${url}/answer`, body }, 2000)).body.toString();
    expect(back).to.contain(`<form id="return" method="post" action="${visit.ctx.publicUrl}/callbacks/3ds">`);
    expect(back).to.contain('name="threeDSSessionData" value="a&quot;b"').and.contain('name="cres"');
  });

  it('has no other challenge, and no third choice', async () => {
    const outcome = await challenged(payment('4000000000003220'));
    const { url } = actionOf(outcome);
    const other = `${visit.trip.sandboxUrl}/acs/8a880dc0-d2d2-4067-bcb1-b08d1690b26e`;
    expect((await sendRequest({ method: 'POST', url: other }, 2000)).status).to.equal(404);
    const third = await sendRequest({ method: 'POST', url: `${url}/answer`, body: 'choice=maybe' }, 2000);
    expect(third.body.toString()).to.contain('name="choice"');
  });

  it('is skipped for cards that are not approved immediately, also on demand', async () => {
    for (const [number, expected] of [
      ['4000000000000002', 'failed'],
      ['4000000000003063', 'pending'],
      ['4000000000006975', 'unknown'],
    ] as const) {
      const outcome = await visit.trip.submit(payment(number, '25.9', { is3ds: true }));
      expect(outcome.outcome).to.equal(expected);
      expect(outcome).not.to.have.property('action');
    }
  });
});
