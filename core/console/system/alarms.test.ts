import { expect } from 'chai';
import { describe, it } from 'mocha';
import { table, textOf } from '../../html/components/table.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Session } from '../sign-in/session.ts';
import { alarmsPage } from './alarms.ts';

describe('alarmsPage', () => {
  const show = async (waiting: number, query: Readonly<Record<string, string>> = {}): Promise<string> => {
    const deps = { alarms: { find: async () => [] } } as unknown as ConsoleDeps;
    const session = { operator: { role: 'viewer' }, counts: { now: waiting } } as unknown as Session;
    return String(await alarmsPage(deps, session, { query, table: (_, shown) => table(shown) }));
  };

  it('says in the empty list what else needs an operator, as the Overview does', async () => {
    const page = await show(3);
    expect(textOf(page)).to.contain('No unresolved alarms.');
    expect(page).to.contain('3 other things need you.').and.to.contain('href="/ops">Show them in the Overview');
    expect(await show(1)).to.contain('1 other thing needs you.');
    expect(await show(0))
      .to.contain('No unresolved alarms.')
      .and.to.not.contain('other thing');
  });

  it('offers all alarms if the filter finds none', async () => {
    expect(await show(3, { state: 'open' }))
      .to.contain('No alarms match.')
      .and.to.not.contain('need you');
  });
});
