import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { escapeXml, readXml, readXmlInSlices, readXmlText, writeXml, XmlError, type XmlElement } from '../../index.ts';

const plain = ({ name, attributes, children, text }: XmlElement): unknown => ({
  name,
  ...(attributes.size ? { attributes: Object.fromEntries(attributes) } : {}),
  ...(children.length ? { children: children.map(plain) } : {}),
  ...(text ? { text } : {}),
});
const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth);

describe('readXmlText', () => {
  it('reads elements, attributes and text, and names without their prefix', () => {
    const text = `\ufeff<?xml version="1.0" encoding="utf-8" standalone='yes'?>
<!-- a comment --><?a note?><pay:notice xmlns:pay="urn:x" xmlns="urn:y" pay:acct='A "B"'>
  <order code="1"/>one <![CDATA[<two> &amp; ]]><other:order xmlns:other="urn:z"><deep/></other:order>
</pay:notice><?b?>
`;
    const { children, text: own, ...root } = readXmlText(text);
    expect(plain({ ...root, children, text: own.replace(/\s+/g, ' ') })).to.deep.equal({
      name: 'notice',
      attributes: { acct: 'A "B"' },
      children: [
        { name: 'order', attributes: { code: '1' } },
        { name: 'order', children: [{ name: 'deep' }] },
      ],
      text: ' one <two> &amp; ',
    });
  });

  it('knows the five entities and character references, and normalises white space as XML does', () => {
    const { attributes, text } = readXmlText(
      '<a b="&amp;&lt;&gt;&quot;&apos;&#65;&#x1F600;&#10;\t\r\n">&#xe9;\r\n</a>',
    );
    expect([attributes.get('b'), text]).to.deep.equal(['&<>"\'A😀\n  ', 'é\n']);
  });

  for (const [name, type] of [
    ['only a name', 'a'],
    ['a system literal', 'a SYSTEM "https://x.example/[a].dtd"'],
    ['a public literal', `a PUBLIC '-//E//NOTICE 1//EN' "https://x.example/a.dtd" `],
  ] as const) {
    it(`skips a document type of ${name}`, () => {
      expect(readXmlText(`<!DOCTYPE ${type}><a/>`).name).to.equal('a');
    });
  }

  for (const text of [
    '',
    ' ',
    'text',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a/>text',
    '<a b=1/>',
    '<a b/>',
    '<a b="1" b="2"/>',
    '<a b="<"/>',
    '<a>]]></a>',
    '<a>&amp</a>',
    '<a>&nbsp;</a>',
    '<a>&toString;</a>',
    '<a>&#0;</a>',
    '<a>&#xD800;</a>',
    '<a>\u0001</a>',
    '<a>\ud800</a>',
    '<a><!-- a -- b --></a>',
    '<a><?x?y?></a>',
    ' <?xml version="1.0"?><a/>',
    '<?xml version="1.1"?><a>&#1;</a>',
    '<?xml version="1.0" encoding="ISO-8859-1"?><a/>',
    '<!DOCTYPE><a/>',
    '<!DOCTYPE a b><a/>',
    '<!DOCTYPE a SYSTEM x><a/>',
    '<!DOCTYPE a PUBLIC "-//E//<"><a/>',
    '<!DOCTYPE a []><a/>',
    '<!DOCTYPE a SYSTEM "x" [ ]><a/>',
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    '<!DOCTYPE a><!DOCTYPE a><a/>',
    '<a b="1" x:b="2"/>',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => readXmlText(text)).to.throw(XmlError);
      expect(readXml(text)).to.equal(undefined);
    });
  }

  it('keeps its limits of depth and size, and accepts the limit itself', () => {
    expect(readXmlText(nested(8), { maxDepth: 8 }).name).to.equal('a');
    expect(() => readXmlText(nested(9), { maxDepth: 8 })).to.throw(XmlError, '8 levels');
    expect(() => readXmlText('<a>'.repeat(300_000))).to.throw(XmlError, '64 levels');
    expect(readXmlText('<a/>', { maxLength: 4 }).name).to.equal('a');
    expect(() => readXmlText('<a />', { maxLength: 4 })).to.throw(XmlError, '4 characters');
    expect(() => readXmlText(`<a>${' '.repeat(2 ** 20)}</a>`)).to.throw(XmlError);
  });

  it('has no special names', () => {
    const { attributes, children } = readXmlText('<a __proto__="1"><constructor toString="2"/></a>');
    expect([attributes.get('__proto__'), attributes.get('constructor')]).to.deep.equal(['1', undefined]);
    expect(plain(children[0]!)).to.deep.equal({ name: 'constructor', attributes: { toString: '2' } });
  });

  it('reports the position of a fault and nothing of the content', () => {
    expect(() => readXmlText('<a>\n<secret>4111</other></a>'))
      .to.throw(XmlError)
      .with.property('message')
      .that.matches(/line 2/)
      .and.does.not.match(/secret|other|4111/);
  });

  it('reads nothing if there is no text', () => expect(readXml(undefined)).to.equal(undefined));
});

describe('readXmlInSlices', () => {
  // Longer than a slice, so that slices end anywhere: inside names, references, pairs of surrogates, line ends.
  const parts = ['<b c="&amp;é">', '</b>', '😀', 'a', ' ', '\r\n', '<![CDATA[x]]>', '<?p q?>', '<!-- - -->', '<d/>'];
  const long = fc
    .tuple(fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 40 }), fc.nat(9))
    .map(
      ([some, shift]) => `<a>${' '.repeat(shift)}${some.join('').repeat(Math.ceil(20_000 / some.join('').length))}</a>`,
    );

  it('reads and refuses what the reader in one piece reads and refuses', async () => {
    await fc.assert(
      fc.asyncProperty(long, async (text) => {
        const limits = { maxDepth: 50_000 };
        expect((await readXmlInSlices(text, limits)) ?? null).to.deep.equal(readXml(text, limits) ?? null);
      }),
      { numRuns: 50 },
    );
    expect(await readXmlInSlices(undefined)).to.equal(undefined);
    expect(await readXmlInSlices('<a>'.repeat(9), { maxDepth: 8 })).to.equal(undefined);
  });

  it('lets other work run while it reads a long document', async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (turns < 1000) setImmediate(count);
    };
    setImmediate(count);
    const root = await readXmlInSlices(`<a>${'<b/>'.repeat(200_000)}</a>`);
    expect(root?.children).to.have.length(200_000);
    expect(turns).to.be.greaterThan(1);
  });
});

describe('writeXml', () => {
  it('writes one line, attributes in their order, without those that are undefined', () => {
    expect(writeXml('p:a', { b: '1', c: undefined, d: '' }, writeXml('e', {}), escapeXml('<&>'))).to.equal(
      '<p:a b="1" d=""><e/>&lt;&amp;&gt;</p:a>',
    );
  });

  it('escapes what XML needs and drops what it cannot hold', () => {
    expect(escapeXml(`Zoë O'Neil & Co <"a">\t\n\r\u0000\u000b\ufffe\ud800 😀`)).to.equal(
      `Zoë O'Neil &amp; Co &lt;&quot;a&quot;&gt;&#9;&#10;&#13; 😀`,
    );
  });

  it('writes text that reads back unchanged', () => {
    const text = fc
      .array(fc.constantFrom(...'a é 😀 & < > " \' \t \n \r ] ]]> &amp;'.split(' '), ' '))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (value, inside) => {
        const read = readXmlText(writeXml('a', { b: value }, escapeXml(inside)));
        expect([read.attributes.get('b'), read.text]).to.deep.equal([value, inside]);
      }),
    );
  });
});
