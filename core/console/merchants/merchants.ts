/** The list of merchants, and what the pages and actions of a merchant share. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { KeyEnvironment, Logo, Owner } from '../../engine/access/index.ts';
import type { MerchantSummary } from '../../engine/merchants/index.ts';
import { invalidField, notFound } from '../../base/errors.ts';
import { badge, emptyState, filters, linkButton, time, type Cell } from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import type { ConsoleDeps } from '../deps.ts';
import { isAllowed } from '../kit/action-form.ts';
import type { FormValues } from '../kit/form-values.ts';
import type { Listing } from '../kit/listing.ts';
import type { Session } from '../sign-in/session.ts';

export const merchantsPath = '/ops/merchants';

export async function merchantsPage({ merchants }: ConsoleDeps, query: Query, session: Session): Promise<Listing> {
  const found = await merchants.list(query['text']);
  const canCreate = isAllowed(session.operator.role, 'admin');
  const action = { label: 'New merchant', path: `${merchantsPath}/new` };
  return {
    before: filters({
      path: merchantsPath,
      query,
      fields: [{ name: 'text', label: 'Name, email or ID', type: 'search' }],
    }),
    primary: canCreate ? linkButton(action.label, action.path) : null,
    table: {
      caption: 'Merchants',
      head: [
        { name: 'Merchant', kind: 'long' },
        'Active keys',
        { name: 'Last payment', kind: 'short' },
        'Endpoints',
        { name: 'Email' },
        { name: 'Created', kind: 'short' },
      ],
      rows: found.map((one) => [
        merchantLink(one),
        html`<a href="${merchantPath(one.id, 'keys')}">${one.activeKeys}</a>`,
        one.lastPaymentAt ? time(one.lastPaymentAt) : 'never',
        endpointStates(one),
        one.email ?? '–',
        time(one.createdAt),
      ]),
      empty:
        query['text'] === undefined
          ? emptyState({
              title: 'No merchants yet',
              text: 'A merchant has API keys, endpoints and a portal of its own.',
              action: canCreate ? action : null,
            })
          : emptyState({
              title: 'No merchants found',
              text: 'Search by a part of the name or of the email.',
              action: canCreate ? action : null,
            }),
    },
  };
}

function merchantLink({ id, name, brand }: MerchantSummary): SafeHtml {
  const other = brand.displayName !== null && brand.displayName !== name ? brand.displayName : null;
  return html`<a href="${merchantsPath}/${id}">${name}</a> ${other && html`<small>shown as ${other}</small>`}`;
}

export function endpointStates({
  notifyUrls,
  failingEndpoints,
  disabledEndpoints,
}: Pick<MerchantSummary, 'notifyUrls' | 'failingEndpoints' | 'disabledEndpoints'>): Cell {
  if (disabledEndpoints > 0) return badge(`${disabledEndpoints} disabled`, 'bad');
  if (failingEndpoints > 0) return badge(`${failingEndpoints} failing`, 'bad');
  return notifyUrls.live === null && notifyUrls.test === null ? 'none' : badge('ok');
}

/** The environments of keys, and how pages call them. */
export const environments = ['sandbox', 'production'] as const satisfies readonly KeyEnvironment[];

export function modeText(environment: string): string {
  return environment === 'production' || environment === 'live' ? 'Live' : 'Test';
}

/** Live mode needs a service that accepts live keys; without it, everything is in test mode. */
export function offeredEnvironments({
  canUseLiveKeys,
}: Pick<ConsoleDeps, 'canUseLiveKeys'>): readonly KeyEnvironment[] {
  return canUseLiveKeys ? environments : ['sandbox'];
}

export function environmentOf({ environment }: FormValues): KeyEnvironment {
  const found = environments.find((one) => one === environment);
  if (!found) throw invalidField('environment', environment, 'must be test or live');
  return found;
}

/** The image of the logo and its type. Throws NF001 if the merchant has no logo. */
export async function merchantLogo(
  { owners, merchants }: Pick<ConsoleDeps, 'owners' | 'merchants'>,
  id: string,
): Promise<Logo> {
  const owner = await readOwner({ merchants }, id);
  const logo = owner.brand.logo && (await owners.logo(owner.id, owner.brand.logo.hash));
  if (!logo) throw notFound('a logo of this merchant');
  return logo;
}

/** The parts of a merchant's page. */
export const merchantTabs = ['overview', 'keys', 'webhooks', 'branding', 'portal'] as const;
export type MerchantTab = (typeof merchantTabs)[number];

export function merchantPath(id: string | number, tab: MerchantTab = 'overview'): string {
  const path = `${merchantsPath}/${encodeURIComponent(id)}`;
  return tab === 'overview' ? path : `${path}?tab=${tab}`;
}

/** Throws NF001 if the merchant does not exist. */
export async function merchantName(deps: Pick<ConsoleDeps, 'merchants'>, id: string): Promise<string> {
  return (await readOwner(deps, id)).name;
}

/** Throws NF001 if the merchant does not exist. */
export async function readOwner({ merchants }: Pick<ConsoleDeps, 'merchants'>, id: string): Promise<Owner> {
  if (!/^\d{1,15}$/.test(id)) throw notFound('a merchant of this id');
  return merchants.get(Number(id));
}
