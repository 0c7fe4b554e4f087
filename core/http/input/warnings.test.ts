import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Warn, Warning } from '../../base/warnings.ts';
import { maskCardNumber, maskThisCard } from './card-numbers.ts';
import type { FieldTable } from './field-table.ts';
import { withoutCards } from './free-text.ts';
import { collectWarnings } from '../response-warnings.ts';
import { nearestOf } from '../../base/text/nearest.ts';
import { warnOfUnknown } from './unknown-members.ts';

const fields: FieldTable = {
  amount: { type: 'amount', note: '' },
  number: { type: 'text', hidden: true, note: '' },
  notes: { type: 'text', text: 'free', note: '' },
  referenceId: { type: 'text', text: 'own', note: '' },
  notifyUrl: { type: 'url', note: '' },
  client: { type: 'object', schema: 'Client', fields: { name: { type: 'text', text: 'free', note: '' } }, note: '' },
};
const visa = '4111111111111111';

function said(run: (warn: Warn) => void): string[] {
  const warnings: Warning[] = [];
  run(collectWarnings({ warnings }));
  return warnings.map(({ field, message }) => `${field} ${message}`);
}

describe('a card number outside its field', () => {
  const kept = (values: Readonly<Record<string, unknown>>, card?: string) => {
    let result: object = {};
    const warnings = said((warn) => (result = withoutCards(fields, values, { card, warn })));
    return { result, fields: warnings.map((text) => text.split(' ')[0]) };
  };

  it('is masked in free text, also inside an object, with a warning', () => {
    const values = { notes: `paid by 4111 1111-1111 1111, thanks`, client: { name: `Zoe ${visa}` } };
    expect(kept(values)).to.deep.equal({
      result: { notes: 'paid by 411111…1111, thanks', client: { name: 'Zoe 411111…1111' } },
      fields: ['notes', 'client.name'],
    });
  });

  it('is masked in every other field if the request pays with this card', () => {
    const values = { number: visa, referenceId: `r-${visa}`, notifyUrl: `https://shop.example/?c=${visa}` };
    expect(kept(values, visa).result).to.deep.equal({
      number: visa,
      referenceId: 'r-411111…1111',
      notifyUrl: 'https://shop.example/?c=411111…1111',
    });
  });

  it('stays in a reference of the merchant, with a warning', () => {
    expect(kept({ referenceId: visa })).to.deep.equal({ result: { referenceId: visa }, fields: ['referenceId'] });
  });

  for (const notes of ['4111111111111112', '1764000000000123', '+4111111111111111', '94111111111111111', '']) {
    it(`is not seen in “${notes}”`, () => {
      expect(kept({ notes })).to.deep.equal({ result: { notes }, fields: [] });
    });
  }

  it('shows only the last four digits of a short number', () => {
    expect(maskCardNumber('50190000')).to.equal('…0000');
    expect(maskThisCard('5019-0000 and 150190000', '50190000')).to.equal('…0000 and 150190000');
  });
});

describe('an unknown member', () => {
  it('causes a warning with the nearest known name, also inside objects; members set by the service are known', () => {
    const body = { ammount: 1, CLIENT: 1, id: 7, client: { Name: 'x', id: 1, nickname: '' }, __proto__: null };
    const warnings = said((warn) => warnOfUnknown(fields, body, warn, { ours: new Set(['id', 'client.id']) }));
    expect(warnings).to.have.members([
      'ammount is unknown and ignored: did you mean amount?',
      'CLIENT is unknown and ignored: did you mean client?',
      'client.Name is unknown and ignored: did you mean name?',
      'client.nickname is unknown and ignored',
    ]);
  });

  for (const name of ['x'.repeat(41), 'käse', visa, 'gk_live_abc', 'a b', 'line\nbreak']) {
    it(`is hidden if its name is ${JSON.stringify(name.slice(0, 20))}`, () => {
      expect(said((warn) => warnOfUnknown(fields, { [name]: 1 }, warn))).to.deep.equal([
        '[hidden] is unknown and ignored',
      ]);
    });
  }

  it('causes no work beyond the 20 warnings of an answer', () => {
    let sought = 0;
    const counted = new Proxy(fields, {
      ownKeys(target) {
        sought += 1;
        return Reflect.ownKeys(target);
      },
    });
    const body = Object.fromEntries(Array.from({ length: 2200 }, (_, at) => [`ammount${at}`, 1]));
    expect(said((warn) => warnOfUnknown(counted, body, warn))).to.have.length(20);
    expect(sought).to.equal(20);
  });

  it('gets no suggestion if every known name is too different', () => {
    expect(nearestOf('notfyUrl', ['notifyUrl', 'notes'])).to.equal('notifyUrl');
    expect(nearestOf('memo', ['notes', 'unit'])).to.equal(undefined);
    expect(nearestOf('x', ['y'])).to.equal(undefined);
  });
});
