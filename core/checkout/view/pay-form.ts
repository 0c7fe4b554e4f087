/** The ways to pay. One of them is open with its form. */
import type { PayerField, PaymentMethod } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import type { PayerWay } from '../../engine/payments/types/pay-page.ts';
import { coinName, maskKnown } from '../format.ts';
import { isKnown, usableFields } from '../known.ts';
import type { Words } from '../../html/words/index.ts';
import { field, type FieldName, type FieldState } from './field.ts';
import { icon, type IconName } from './icons.ts';
import type { PayView } from './pay-view.ts';

const icons: Readonly<Record<PaymentMethod, IconName>> = {
  card: 'card',
  card_token: 'card',
  wallet_card: 'card',
  upi_intent: 'phone',
  upi_qr: 'code',
  upi_collect: 'at',
  ewallet_redirect: 'wallet',
  hosted_page: 'bank',
  crypto: 'coin',
};

/** The label of a way to pay, and what happens after the button if there is no form to fill in. */
function describeWay(
  words: Words,
  { method, title, coin }: Pick<PayerWay, 'method' | 'title' | 'coin'>,
): { readonly name: string; readonly hint: string | null } {
  const { ways, wayHints } = words;
  switch (method) {
    case 'upi_intent':
    case 'upi_qr':
    case 'upi_collect':
      return { name: ways[method], hint: wayHints[method] };
    case 'ewallet_redirect':
    case 'hosted_page':
      return { name: ways[method](title), hint: wayHints[method](title) };
    case 'crypto': {
      const name = coin === null ? words.anyCoin : coinName(coin);
      return { name: ways.crypto(name), hint: wayHints.crypto(name) };
    }
    case 'card':
    case 'card_token':
    case 'wallet_card':
      return { name: ways.card, hint: null };
  }
}

export function nameOfWay(words: Words, way: Pick<PayerWay, 'method' | 'title' | 'coin'>): string {
  return describeWay(words, way).name;
}

export function waysToPay(view: PayView): SafeHtml {
  const { speech, ways, way: open, address } = view;
  const { words } = speech;
  if (ways.length === 1 && open) {
    return html`<section class="only-way" aria-labelledby="way">
      ${wayForm(view, open, html`<h2 id="way">${nameOf(words, open)}</h2>`)}
    </section>`;
  }
  const rows = ways.map((way) => {
    const name = nameOf(words, way);
    if (way.id === open?.id) return html`<li class="way open">${wayForm(view, way, html`<h3>${name}</h3>`)}</li>`;
    return html`<li class="way">
      <a href="${address}&way=${encodeURIComponent(way.id)}">${name}</a>
    </li>`;
  });
  return html`<section aria-labelledby="ways">
    <h2 id="ways">${words.howToPay}</h2>
    <ul class="ways">
      ${rows}
    </ul>
  </section>`;
}

function nameOf(words: Words, way: PayerWay): SafeHtml {
  return html`${icon(icons[way.method])}<span>${nameOfWay(words, way)}</span>`;
}

function wayForm(view: PayView, way: PayerWay, heading: SafeHtml): SafeHtml {
  const { speech, address, amount, details, problems } = view;
  const { words } = speech;
  const { hint } = describeWay(words, way);
  return html`${heading}
    <form method="post" action="${address}" class="pay">
      <input type="hidden" name="way" value="${way.id}" />
      <input type="hidden" name="attempts" value="${details.attempts}" />
      ${problems.fields.size > 0 ? html`<p class="alert" role="alert">${icon('alert')}<span>${words.errors.some}</span></p>` : null}
      ${hint ? html`<p class="hint">${hint}</p>` : null} ${fieldsOf(view, way)}
      <button class="main">${icon('lock')}<span>${words.pay(amount)}</span></button>
      ${way.instrument === 'card' ? html`<p class="hint centred">${words.cardIsNotKept}</p>` : null}
    </form>`;
}

/** The order of the form: payment credentials, then the payer, then the address. */
const instruments = { card: ['number', 'expiration', 'cvv'], upiId: ['upiId'] } as const;
const contact: readonly PayerField[] = ['email', 'phoneNumber'];
const home: readonly PayerField[] = ['country', 'address', 'postalCode', 'city', 'state'];

function fieldsOf(view: PayView, way: PayerWay): SafeHtml {
  const { speech, details, typed, problems } = view;
  const { words } = speech;
  const isCard = way.instrument === 'card';
  const usable = usableFields(details.known, way.fields);
  const state: FieldState = {
    speech,
    // The country is chosen from a list, and is not a secret.
    typed: { ...(usable.country && { country: usable.country }), ...typed },
    errors: problems.fields,
    isCard,
    hasCountry: way.fields.includes('country'),
  };
  const isHidden = (name: PayerField): boolean => isKnown(usable, name) && !typed[name] && !problems.fields.has(name);
  const known = way.fields.filter((name) => name !== 'country' && isHidden(name));
  const group = (names: readonly PayerField[]): readonly PayerField[] =>
    names.filter((name) => way.fields.includes(name) && !known.includes(name));
  const inputs = (names: readonly FieldName[]): SafeHtml[] => names.map((name) => field(name, state));
  const section = (title: string, names: readonly PayerField[]): SafeHtml | null =>
    names.length === 0
      ? null
      : html`<fieldset>
          <legend>${title}</legend>
          <div class="fields">${inputs(names)}</div>
        </fieldset>`;

  const first = [...(way.instrument ? instruments[way.instrument] : []), ...group(['name'])];
  return html`${first.length > 0 ? html`<div class="fields">${inputs(first)}</div>` : null}
  ${known.length > 0 ? knownDetails(view, known, state) : null} ${section(words.contact, group(contact))}
  ${section(words.billingAddress, group(home))}`;
}

/** The shop's data about the payer, masked for readers of the link. Fields that stay empty use these values. */
function knownDetails({ speech, page, details }: PayView, known: readonly PayerField[], state: FieldState): SafeHtml {
  const { words } = speech;
  const shown = known.map((name) => html`<li><bdi>${maskKnown(details.known[name] ?? '')}</bdi></li>`);
  return html`<div class="known">
    <p>${words.knownAlready(page.merchant.name)}</p>
    <ul>
      ${shown}
    </ul>
    <details>
      <summary>${words.change}</summary>
      <div class="fields">${known.map((name) => field(name, { ...state, isOptional: true }))}</div>
    </details>
  </div>`;
}

/** The form for a code that the payer received. */
export function codeForm({ speech, address, problems, typed }: PayView): SafeHtml {
  const { words } = speech;
  return html`<form method="post" action="${address}" class="pay">
    <input type="hidden" name="way" value="confirm" />
    <div class="fields">${field('code', { speech, typed, errors: problems.fields })}</div>
    <button class="main"><span>${words.confirm}</span></button>
  </form>`;
}
