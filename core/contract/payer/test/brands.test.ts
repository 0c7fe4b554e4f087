import { expect } from 'chai';
import { describe, it } from 'mocha';
import { brands, cardBrands, maxPictureBytes, pictureProblem, wordmark } from '../../index.ts';

const svg = (inside: string, attributes = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 38 24"'): string =>
  `<svg ${attributes}>${inside}</svg>`;
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('brands', () => {
  it('have pictures that the payer’s page can show, and different names', () => {
    for (const { name, picture } of Object.values(brands)) expect(pictureProblem(picture), name).to.equal(undefined);
    const names = Object.values(brands).map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('name card schemes as numbers of their cards are named', () => {
    const schemes = ['visa', 'mastercard', 'maestro', 'americanExpress', 'discover', 'dinersClub', 'jcb'] as const;
    const known = cardBrands.map(({ name }) => name);
    for (const scheme of [...schemes, 'unionPay', 'ruPay'] as const) expect(known).to.include(brands[scheme].name);
  });
});

describe('wordmark', () => {
  it('writes the name into the picture, and makes room for a long one', () => {
    const { name, picture } = wordmark('Smith & Sons', '#123456');
    expect(name).to.equal('Smith & Sons');
    expect(picture).to.include('>Smith &amp; Sons</text>').and.include('width="84"');
    expect(wordmark('BLIK', '#000000', 'B').picture)
      .to.include('width="38"')
      .and.include('>B</text>');
  });
});

describe('pictureProblem', () => {
  it('accepts SVG and PNG images up to the largest size', () => {
    expect(pictureProblem(svg('<path d="M0 0h9"/>'))).to.equal(undefined);
    expect(pictureProblem(wordmark('Smith & Sons', '#123456').picture)).to.equal(undefined);
    expect(pictureProblem(png)).to.equal(undefined);
    const rest = maxPictureBytes - svg('').length;
    expect(pictureProblem(svg(' '.repeat(rest)))).to.equal(undefined);
    expect(pictureProblem(svg(' '.repeat(rest + 1)))).to.equal('larger than 8192 bytes');
    expect(pictureProblem(Buffer.concat([png, Buffer.alloc(maxPictureBytes)]))).to.equal('larger than 8192 bytes');
  });

  for (const [inside, found] of [
    ['<script>1</script>', '<script'],
    ['<SCRIPT>1</SCRIPT>', '<SCRIPT'],
    ['<style>*{}</style>', '<style'],
    ['<g onload="1"/>', 'onload='],
    ['<image x="1"/>', '<image'],
    ['<use x="1"/>', '<use'],
    ['<a><path d=""/></a>', '<a'],
    ['<foreignObject/>', '<foreignObject'],
    ['<g xlink:href="x"/>', 'href'],
    ['<path fill="url(https://other.example)"/>', 'url('],
    ['<!ENTITY x "y">', '<!'],
    ['<?xml-stylesheet?>', '<?'],
    ['<path d="&#x41;"/>', '&#'],
  ] as const) {
    it(`refuses ${inside}`, () =>
      expect(pictureProblem(svg(inside)))
        .to.match(/^contains /)
        .and.include(found));
  }

  for (const [what, given] of [
    ['no image', 'a name'],
    ['an SVG image without its namespace', svg('', 'viewBox="0 0 1 1"')],
    ['an SVG image without a size', svg('', 'xmlns="http://www.w3.org/2000/svg"')],
    ['text after an SVG image', `${svg('')}<script>`],
    ['a JPEG image', Buffer.from('ffd8ff', 'hex')],
    ['an address', 5],
  ] as const) {
    it(`refuses ${what}`, () => expect(pictureProblem(given)).to.match(/^(not an? |neither )/));
  }
});
