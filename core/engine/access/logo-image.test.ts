import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readLogoImage } from './logo-image.ts';
import { jpegHeader, pngImage, webpHeader } from './testing/images.ts';

describe('readLogoImage', () => {
  for (const [name, type, image] of [
    ['a PNG', 'image/png', pngImage(300, 40)],
    ['a JPEG', 'image/jpeg', jpegHeader(300, 40)],
    ['a lossy WebP', 'image/webp', webpHeader('VP8 ', 300, 40)],
    ['a lossless WebP', 'image/webp', webpHeader('VP8L', 300, 40)],
    ['an extended WebP', 'image/webp', webpHeader('VP8X', 300, 40)],
  ] as const) {
    it(`reads type and size of ${name}`, () => {
      expect(readLogoImage(image)).to.deep.equal({ type, width: 300, height: 40 });
    });
  }

  for (const [name, image] of [
    ['a PNG without height', pngImage(300, 0)],
    ['a JPEG without a frame', Buffer.from('ffd8ffd9', 'hex')],
    ['a JPEG whose segments are longer than the file', Buffer.from('ffd8ffe0fffeffd9', 'hex')],
    ['a JPEG that is only padding', Buffer.from('ffd8ffffffffffffffd9', 'hex')],
    ['a WebP without a picture', Buffer.from('524946460400000057454250', 'hex')],
    [
      'a WebP of an unknown kind',
      Buffer.from(webpHeader('VP8 ', 3, 4).toString('latin1').replace('VP8 ', 'VP9 '), 'latin1'),
    ],
    ['an empty file', Buffer.alloc(0)],
  ] as const) {
    it(`refuses ${name}`, () => expect(readLogoImage(image)).to.equal(undefined));
  }
});
