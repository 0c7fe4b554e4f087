/** Compares docs/statuses.md with the tables. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { declineReasons, eventKinds, statusMeanings } from '../../index.ts';

const page = readFileSync(new URL('../../../docs/statuses.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\|.*`/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', ''))
      .join(' | '),
  );

describe('the page of statuses', () => {
  for (const kind of eventKinds) {
    for (const [status, meaning] of Object.entries(statusMeanings[kind])) {
      it(`says what ${kind} ${status} means`, () => expect(rows).to.include(`${kind} | ${status} | ${meaning}`));
    }
  }

  it('lists every decline code, and nothing that does not exist', () => {
    for (const [code, reason] of Object.entries(declineReasons)) expect(rows).to.include(`${code} | ${reason}`);
    const statuses = eventKinds.flatMap((kind) => Object.keys(statusMeanings[kind]));
    expect(rows).to.have.length(statuses.length + Object.keys(declineReasons).length);
  });
});
