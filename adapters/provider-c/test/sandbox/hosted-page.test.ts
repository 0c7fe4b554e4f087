import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { forwardHash } from '../../signing.ts';
import { salt, type Fields } from '../messages.ts';
import {
  actionOf,
  backOf,
  browse,
  follow,
  locationOf,
  look,
  payment,
  press,
  startVisit,
  textOf,
  type Back,
  type Visit,
} from './visit.ts';

const card = (c_pan = '4111 1111 1111 1111'): Fields => ({ c_pan, c_exp: '12/39', c_cvv: '123' });

describe("C's hosted page", () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  async function open(given = payment(null)) {
    const outcome = await visit.submit(given);
    const stored = visit.trip.toStored(given, outcome);
    return { given, stored, action: actionOf(outcome) };
  }

  /** The browser brings the form to the gateway. Returns the event that it makes. */
  async function land({ action, fields }: Back) {
    const before = visit.trip.heard.length;
    const id = /^GW-(\d+)-/.exec(fields['c_ref']!)![1];
    expect(locationOf(await browse(action, fields))).to.equal(`${visit.trip.provider.publicUrl}/pay/${id}`);
    return visit.trip.heard.slice(before).find(({ route }) => route === 'providerChp')?.events[0];
  }

  for (const [number, choice, brings, reported] of [
    ['4111111111111111', 'pay', 'success succeeded', 'success'],
    ['4000000000009995', 'pay', 'failure failed 51', 'failure'],
    ['4000000000003063', 'pay', 'pending pending', 'success'],
    ['4000000000003089', 'pay', 'pending pending', 'failure'],
    ['', 'cancel', 'usercancel cancelled', 'usercancel'],
  ] as const) {
    it(`returns the payer with ${brings} for ${number || choice}, and reports ${reported}`, async () => {
      const { stored, action } = await open();
      expect(await visit.trip.fetched(stored)).to.deep.equal(['waiting']);
      const page = locationOf(await follow(action));
      expect(textOf(await look(page)))
        .to.contain('name="c_pan"')
        .and.contain('name="c_exp"')
        .and.contain('name="c_cvv"')
        .and.contain('value="pay"')
        .and.contain('value="cancel"');
      expect(await visit.trip.fetched(stored)).to.deep.equal(['pending pending 25.90']);
      const event = await land(await press(page, choice, card(number)));
      expect([event?.providerStatus, event?.status, event?.decline].filter(Boolean).join(' ')).to.equal(brings);
      await visit.hears(reported);
      expect(await visit.trip.fetched(stored)).to.have.length(1);
      expect(visit.trip.heard.every(({ outcome }) => outcome === 'accepted')).to.equal(true);
    });
  }

  for (const [choice, brings] of [
    ['pass', 'success succeeded'],
    ['fail', 'failure failed 05'],
  ] as const) {
    it(`shows 3D Secure on a second page, and returns ${brings} for ${choice}`, async () => {
      const { stored, action } = await open();
      const page = locationOf(await follow(action));
      const second = textOf(await browse(page, { choice: 'pay', ...card('4000000000003220') }));
      expect(second).to.contain('value="pass"').and.contain('value="fail"').and.not.contain('c_pan');
      expect(textOf(await look(page))).to.contain('value="fail"');
      const back = await press(page, choice);
      expect(back.fields).not.to.have.property('c_auth');
      const event = await land(back);
      expect([event?.providerStatus, event?.status, event?.decline].filter(Boolean).join(' ')).to.equal(brings);
      if (choice === 'fail') expect(event).to.include({ threeDsResult: 'N' });
      await visit.hears(choice === 'pass' ? 'success' : 'failure');
      const report = await visit.trip.fetchStatus(stored);
      const found = report.result === 'events' ? report.events[0] : undefined;
      expect(found).to.include({ providerStatus: choice === 'pass' ? 'success' : 'failure' });
    });
  }

  it('shows 3D Secure if it is demanded, and never if it is skipped', async () => {
    for (const [number, is3ds, asks] of [
      ['4111111111111111', true, true],
      ['4000000000003220', false, false],
    ] as const) {
      const { action } = await open(payment(null, '25.9', { is3ds }));
      const page = locationOf(await follow(action));
      const shown = textOf(await browse(page, { choice: 'pay', ...card(number) }));
      expect(shown.includes('value="pass"')).to.equal(asks);
    }
  });

  it('leaves 3097 pending', async () => {
    const { stored, action } = await open();
    const event = await land(await press(locationOf(await follow(action)), 'pay', card('4000000000003097')));
    expect(event).to.include({ providerStatus: 'pending' });
    expect(await visit.trip.fetched(stored)).to.deep.equal(['pending pending 25.90']);
    expect(backOf(await follow(action, 'application/json')).fields).to.include({ c_state: 'pending' });
    expect(visit.trip.deliveries).to.deep.equal([]);
  });

  it('charges 6975 and shows no page', async () => {
    const { action } = await open();
    const page = locationOf(await follow(action));
    const lost = await browse(page, { choice: 'pay', ...card('4000000000006975') }).catch((error: unknown) => error);
    expect(lost).to.be.instanceOf(Error);
    await visit.hears('success');
    expect(await land(backOf(await follow(action, 'application/json')))).to.include({ providerStatus: 'success' });
  });

  it('shows the page again for a card that cannot pay', async () => {
    const { action } = await open();
    const page = locationOf(await follow(action));
    for (const wrong of [card('4111111111111112'), { ...card(), c_exp: '0120' }, { ...card(), c_cvv: 'x' }, {}]) {
      expect(textOf(await browse(page, { choice: 'pay', ...wrong }))).to.contain('no card that can pay');
    }
    expect(await land(await press(page, 'pay', card()))).to.include({ providerStatus: 'success' });
  });

  it('opens the same payment twice, and redirects the browser immediately once it is settled', async () => {
    const { action } = await open();
    const page = locationOf(await follow(action));
    expect(locationOf(await follow(action))).to.equal(page);
    const back = await press(page, 'pay', card());
    expect(backOf(await follow(action, 'application/json'))).to.deep.equal(back);
    expect(backOf(await browse(page, { choice: 'cancel' }, 'application/json'))).to.deep.equal(back);
    await visit.hears('success');
  });

  it('obeys the amounts that act on server forms, and ignores the others', async () => {
    for (const amount of ['25.50', '25.51', '25.52', '25.53']) {
      const { action } = await open(payment(null, amount));
      expect(await land(await press(locationOf(await follow(action)), 'pay', card()))).to.include({
        providerStatus: 'success',
      });
    }
    await visit.hears('success', 'success', 'success', 'success');
    const { action } = await open(payment(null, '25.55'));
    const page = locationOf(await follow(action));
    await press(page, 'pay', card());
    expect(visit.posted()).to.have.length(5);
  });

  const signed = (fields: Fields): Fields => ({ ...fields, c_hash: forwardHash({ salts: [salt] }, fields) });
  const asked = (changes: Fields): Fields => {
    const home = `${visit.trip.provider.publicUrl}/callbacks`;
    return signed({
      c_key: 'GWDEMO01',
      c_ref: 'GW-9-9',
      c_total: '25.90',
      c_sec: 'auto',
      c_note: `${home}/providerC`,
      c_back: `${home}/providerChp`,
      c_until: String(Math.floor(Date.now() / 1000) + 60),
      ...changes,
    });
  };

  it('accepts only our own forms, with addresses on our host', async () => {
    const page = `${visit.trip.sandboxUrl}/v1/page`;
    const status = async (fields: Fields): Promise<number> => (await browse(page, fields)).status;
    expect(await status({ ...asked({}), c_total: '1.00' })).to.equal(401);
    expect(await status(asked({ c_key: 'GWDEMO99' }))).to.equal(401);
    expect(await status(asked({ c_until: 'soon' }))).to.equal(400);
    expect(await status(asked({ c_back: 'https://elsewhere.example/' }))).to.equal(400);
    expect(await status(asked({ c_note: 'https://elsewhere.example/' }))).to.equal(400);
    expect(await status(asked({}))).to.equal(303);
    expect(await status(asked({ c_total: '26' }))).to.equal(409);
    const given = payment();
    await visit.submit(given);
    expect(await status(asked({ c_ref: given.reference }))).to.equal(409);
    expect((await look(`${page}/1`)).status).to.equal(404);
  });

  it('expires an abandoned page, even if its form comes too late', async () => {
    const page = `${visit.trip.sandboxUrl}/v1/page`;
    const late = backOf(await browse(page, asked({ c_until: '1' }), 'application/json'));
    expect(await land(late)).to.include({ providerStatus: 'lapsed', status: 'expired' });
    await visit.hears('lapsed');
    const { stored, action } = await open();
    const opened = locationOf(await follow(action));
    const realNow = Date.now;
    Date.now = () => realNow() + 1_801_000;
    try {
      expect(backOf(await browse(opened, { choice: 'pay', ...card() }, 'application/json')).fields).to.include({
        c_state: 'lapsed',
      });
    } finally {
      Date.now = realNow;
    }
    await visit.hears('lapsed', 'lapsed');
    expect(await visit.trip.fetched(stored)).to.deep.equal(['lapsed expired 25.90']);
  });
});
