import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ChangelogError, closeSections, notesOf, sectionOf } from './changelog.ts';

const changelog = `# Changelog

## Service

### Unreleased

- Payments are faster.

### 0.1.0 (2026-11-21)

- The first version.

## Contract (\`@paywright/contract\`)

### 2.1.0 (unreleased)

- \`accountKey\` is new.
`;
const release = { version: '1.0.0', contractVersion: '2.1.0', date: '2026-12-01' };

describe('closeSections', () => {
  it('gives both unreleased sections their version and the date', () => {
    const closed = closeSections(changelog, release);
    expect(sectionOf(closed, '### 1.0.0 (2026-12-01)')).to.equal('- Payments are faster.');
    expect(sectionOf(closed, '### 2.1.0 (2026-12-01)')).to.equal('- `accountKey` is new.');
    expect(sectionOf(closed, '### 0.1.0 (2026-11-21)')).to.equal('- The first version.');
    expect(closed).not.to.match(/unreleased/i);
  });

  it('keeps the groups of a section together', () => {
    const groups = '#### Fixed\n\n- Payments are faster.\n\n#### What to do on upgrade\n\n- Make a backup.';
    const closed = closeSections(changelog.replace('- Payments are faster.', groups), release);
    expect(notesOf(closed, '1.0.0')).to.equal(`${groups}\n`);
  });

  it('leaves a contract that was released before as it is', () => {
    const released = changelog.replace('(unreleased)', '(2026-11-30)');
    expect(closeSections(released, release)).to.contain('### 2.1.0 (2026-11-30)');
  });

  it('refuses a service without entries', () => {
    const empty = changelog.replace('- Payments are faster.\n', '');
    expect(() => closeSections(empty, release)).to.throw(ChangelogError, 'has no entries under "### Unreleased"');
    expect(() => closeSections(changelog.replace('### Unreleased', '### 0.2.0 (2026-11-25)'), release)).to.throw(
      ChangelogError,
      'has no entries',
    );
  });

  it('refuses a contract section of another version than the package', () => {
    expect(() => closeSections(changelog, { ...release, contractVersion: '2.2.0' })).to.throw(
      ChangelogError,
      'calls the next contract 2.1.0, and core/contract/package.json says 2.2.0',
    );
  });
});

describe('notesOf', () => {
  it('returns the entries of that version alone', () => {
    expect(notesOf(changelog, '0.1.0')).to.equal('- The first version.\n');
    expect(notesOf(closeSections(changelog, release), '1.0.0')).to.equal('- Payments are faster.\n');
  });
});
