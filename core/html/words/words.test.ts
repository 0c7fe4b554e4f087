import { expect } from 'chai';
import { describe, it } from 'mocha';
import { showCount } from '../../checkout/format.ts';
import { en } from './en.ts';
import { languageCodes, translations, wordsOf, type Language } from './index.ts';
import { complete } from './translation.ts';

type Word = string | ((...args: readonly string[]) => string);

/** Every text with its path, such as `states.paid.title`. */
function wordsIn(group: object, path = ''): [path: string, word: Word][] {
  return Object.entries(group).flatMap(([key, word]: [string, unknown]) => {
    const at = path ? `${path}.${key}` : key;
    if (key === 'seconds') return []; // Each language has its own plurals, which a test below checks.
    return typeof word === 'object' && word !== null ? wordsIn(word, at) : [[at, word as Word]];
  });
}

describe('a translation of the payer’s page', () => {
  const english = new Map(wordsIn(en));
  const marks = ['[first]', '[second]'];

  for (const language of languageCodes) {
    it(`has every text in ${language}`, () => {
      const own = new Map(wordsIn(translations[language]));
      expect(
        [...english.keys()].filter((path) => !own.has(path)),
        'missing',
      ).to.deep.equal([]);
      expect(
        [...own.keys()].filter((path) => !english.has(path)),
        'unknown',
      ).to.deep.equal([]);
    });

    it(`names the same values in ${language} as English does`, () => {
      for (const [path, word] of wordsIn(translations[language])) {
        const model = english.get(path);
        const [said, meant] = [word, model].map((one) => (typeof one === 'function' ? one(...marks) : one));
        expect(said, path).to.match(/\S/);
        for (const mark of [...marks, '{seconds}', '{time}']) {
          expect(said?.includes(mark), `${path}: ${mark}`).to.equal(meant?.includes(mark));
        }
      }
    });
  }

  it('uses the plurals of its language for seconds', () => {
    const counted = (language: Language): string[] =>
      [1, 2, 3, 10, 11, 100].map((count) => showCount(language, wordsOf(language).seconds, count));
    for (const language of languageCodes) {
      const { seconds } = wordsOf(language);
      const rules = new Intl.PluralRules(language);
      for (let count = 0; count <= 120; count += 1)
        expect(seconds, `${language} ${count}`).to.have.property(rules.select(count));
    }
    expect(counted('en').slice(0, 2)).to.deep.equal(['1 second', '2 seconds']);
    expect(counted('de').slice(0, 2)).to.deep.equal(['1 Sekunde', '2 Sekunden']);
    expect(counted('ar')).to.deep.equal(['ثانية واحدة', 'ثانيتين', '3 ثوانٍ', '10 ثوانٍ', '11 ثانية', '100 ثانية']);
  });

  it('uses English for a missing text', () => {
    const words = complete({ name: 'Test', direction: 'ltr', states: { paid: { title: 'Pagado' } } });
    expect(words.states.paid).to.deep.equal({ title: 'Pagado', text: en.states.paid.text });
    expect([words.proceed, words.pay('1 €'), words.name]).to.deep.equal([en.proceed, 'Pay 1 €', 'Test']);
  });

  it('isolates the direction of a value inside a right-to-left sentence', () => {
    expect(wordsOf('ar').backTo('Livros, Lda.')).to.include('\u2068Livros, Lda.\u2069');
    expect(wordsOf('de').backTo('Livros, Lda.')).to.equal('Zurück zu Livros, Lda.');
  });

  it('runs from right to left only in Arabic', () => {
    const fromRight = languageCodes.filter((code) => wordsOf(code).direction === 'rtl');
    expect(fromRight).to.deep.equal(['ar']);
  });
});
