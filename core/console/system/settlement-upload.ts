/** The pages of a settlement file before its result: upload, columns and first rows, progress. */
import { html, type SafeHtml } from '@remix-run/html-template';
import {
  announced,
  badge,
  checkBox,
  choice,
  details,
  fold,
  live,
  maskedText,
  money,
  note,
  sectionHead,
  textField,
  time,
  toWords,
} from '../../html/components/parts.ts';
import {
  columnNames,
  rowKinds,
  type ColumnName,
  type InspectedFile,
  type Mapping,
  type RowKind,
} from '../../settlement/index.ts';
import { mainAccount } from '../../engine/providers/index.ts';
import { actionForm } from '../kit/action-form.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import type { PageBody } from '../kit/page.ts';
import { modeText, offeredEnvironments } from '../merchants/merchants.ts';
import { providerText } from '../payments/payment-cells.ts';
import type { Session } from '../sign-in/session.ts';
import { kindField, largestFile, settlementPath, uploadsPath } from './settlement-actions.ts';
import type { SettlementUpload, UploadMapping } from './settlement-uploads.ts';

export async function newSettlementPage(deps: ConsoleDeps, session: Session): Promise<SafeHtml> {
  const { states } = await deps.adapterStates.read();
  const hasAccounts = (await deps.accounts.list()).some(({ account }) => account !== mainAccount);
  const form = actionForm(session, 'support', {
    action: uploadsPath,
    label: 'Upload',
    isMain: true,
    hasFile: true,
    fields: html`${choice('adapter', 'Provider', Object.keys(states), undefined, { any: 'Choose', textOf: (name) => providerText(deps, name) })}
      ${
        hasAccounts
          ? textField({
              name: 'account',
              label: 'Account',
              hint: 'The account of the file. Empty: it is about all accounts of the provider.',
              placeholder: mainAccount,
            })
          : null
      }
      ${choice('environment', 'Payments', offeredEnvironments(deps), deps.canUseLiveKeys ? 'production' : 'sandbox', {
        any: false,
        textOf: (one) => `${modeText(one)} payments`,
      })}
      <label class="field"
        >Settlement file
        <small class="hint">CSV, at most ${largestFile / 1024 / 1024} MB. Larger files: paywright settle.</small
        ><input type="file" name="file" accept=".csv,.tsv,.txt,text/csv,text/plain" required
      /></label>
      ${fold(
        'Use a mapping file',
        html`<label class="field"
          >Mapping
          <small class="hint">The YAML file of the command settle. Without it, the columns are recognised.</small
          ><input type="file" name="mapping" accept=".yaml,.yml"
        /></label>`,
        session.refused !== undefined,
      )}`,
  });
  return html`<p>
      Download the settlement report of the provider as CSV, and upload it here. Nothing is compared before you have
      seen how the file is read.
    </p>
    <div class="panel form">${form ?? 'Your role cannot compare files.'}</div>`;
}

/** Throws NF001 if this host does not have the upload. */
export async function settlementUploadPage(
  deps: ConsoleDeps,
  id: string,
  session: Session,
  table: ShowTable,
): Promise<SafeHtml | PageBody> {
  const upload = deps.settlementUploads.get(id);
  const { state, result } = upload;
  if (state === 'done') return { body: progressOf(upload), leadsTo: `${settlementPath}/${result}` };
  if (state === 'comparing') return progressOf(upload);
  const { chosen } = upload;
  const rows = chosen.from === 'guess' ? null : await rowsPart(deps, upload, chosen.mapping, { session, table });
  return html`${upload.problems.length === 0 ? null : note('bad', problemList(upload.problems))}
  ${details([
    ['File', `${upload.name} (${Math.ceil(upload.bytes / 1024)} kB)`],
    ['Provider', providerText(deps, upload.adapter)],
    ['Account', upload.account ?? 'all accounts'],
    ['Compared with', `${modeText(upload.environment)} payments`],
    ['Columns', sourceText(chosen)],
  ])}
  ${rows} ${columnsPart(upload, session)}
  ${actionForm(session, 'support', { action: `${uploadsPath}/${id}/discard`, label: 'Discard the file' })}`;
}

/** The script leaves the page when the comparison is done; without script, the reader reloads it. */
function progressOf({ id, state, rows, share, name, result }: SettlementUpload): SafeHtml {
  const isDone = state === 'done';
  const percent = Math.floor(share * 100);
  return live(
    'progress',
    html`${announced(html`<p>${badge(isDone ? 'done' : 'in progress', isDone ? 'good' : 'calm')} ${rows} rows of ${name} compared.</p>`)}
      <progress max="100" value="${percent}" aria-label="Compared"></progress>
      <p class="pages">
        ${
          isDone
            ? html`<a class="button main" href="${settlementPath}/${result}" data-leads-to>View the result</a>`
            : html`<noscript><a href="${uploadsPath}/${id}">Reload</a></noscript>`
        }
      </p>`,
  );
}

function problemList(problems: readonly string[]): SafeHtml {
  return html`<p><strong>The file was not compared.</strong></p>
    <ul>
      ${problems.map((problem) => html`<li>${problem}</li>`)}
    </ul>`;
}

function sourceText({ from }: UploadMapping): string {
  switch (from) {
    case 'file':
      return 'as in the mapping file';
    case 'last run':
      return 'as in the last comparison of this provider';
    case 'example':
      return 'as in the mapping that Paywright has for this provider';
    case 'form':
      return 'as chosen below';
    case 'guess':
      return 'guessed: check them below';
  }
}

/** The first rows as the comparison reads them, and the button that starts it. */
async function rowsPart(
  deps: ConsoleDeps,
  { id }: SettlementUpload,
  mapping: Mapping,
  { session, table }: { readonly session: Session; readonly table: ShowTable },
): Promise<SafeHtml> {
  const { rows, problems } = await deps.settlementUploads.preview(id, mapping);
  const shown = html`${sectionHead('How the file is read')}
  ${table('rows', {
    caption: 'The first rows, as they are read',
    head: ['Line', 'Type', 'Reference', 'Provider reference', 'Amount', 'Fee', { name: 'Date', kind: 'short' }],
    rows: rows.map((row) => [
      row.line,
      toWords(row.kind),
      maskedText(row.reference),
      maskedText(row.providerReference),
      money(`${row.amount.isNegative ? '-' : ''}${row.amount.amount}`, row.currency),
      row.fee === null ? '–' : money(row.fee.amount, row.feeCurrency),
      time(row.at, { exact: true }),
    ]),
    empty: 'No row has money of a payer.',
  })}`;
  if (problems.length > 0) return html`${note('bad', problemList(problems))} ${rows.length > 0 ? shown : null}`;
  const compare = actionForm(session, 'support', {
    action: `${uploadsPath}/${id}/compare`,
    label: 'Compare',
    isMain: true,
    ...(mapping.span !== 'dates' && { fields: spanFields() }),
  });
  return html`${shown} ${compare}`;
}

/** The fields of a period that contains every movement of the file. */
export function spanFields(): SafeHtml {
  return html`${textField({
    name: 'from',
    label: 'The file has all movements from (UTC)',
    type: 'datetime-local',
    hint: 'Only with both times, the gateway looks for payments that the file lacks.',
  })}
  ${textField({ name: 'to', label: 'and before (UTC)', type: 'datetime-local' })}`;
}

const columnLabels: Readonly<Record<ColumnName, string>> = {
  reference: 'Our reference (GW-…)',
  providerReference: 'Provider’s reference of the payment',
  subReference: 'Reference of a refund or chargeback',
  kind: 'Type of the row',
  amount: 'Amount (gross)',
  currency: 'Currency',
  fee: 'Fee',
  date: 'Date',
};

/** The columns and what they mean, to be corrected. */
function columnsPart({ id, inspected, chosen }: SettlementUpload, session: Session): SafeHtml {
  const names = inspected.columns.map(({ name }) => name);
  const columns = chosenColumns(chosen);
  const isGuess = chosen.from === 'guess';
  const form = actionForm(session, 'support', {
    action: `${uploadsPath}/${id}/columns`,
    label: 'Show the rows',
    isMain: isGuess,
    fields: html`<div class="fields">
        ${columnNames.map((name) =>
          choice(`column.${name}`, columnLabels[name], names, columns[name], { any: '–', textOf: (one) => one }),
        )}
      </div>
      ${kindFields(inspected, chosen, columns.kind)} ${formatFields(chosen)}`,
  });
  const isOpen = isGuess || session.refused?.action.endsWith('/columns') === true || chosen.from === 'form';
  return html`${sectionHead('Columns')}
  ${form && fold('Choose what the columns mean', html`<div class="panel form wide">${form}</div>`, isOpen)}`;
}

function chosenColumns(chosen: UploadMapping): Readonly<Partial<Record<ColumnName, string>>> {
  if (chosen.from === 'guess') return chosen.guess.columns;
  const { columns } = chosen.mapping;
  const simple = columnNames.flatMap((name) => {
    const value = columns[name];
    const one = Array.isArray(value) ? value[0] : value;
    return typeof one === 'string' ? [[name, one] as const] : [];
  });
  return Object.fromEntries(simple);
}

function kindFields(inspected: InspectedFile, chosen: UploadMapping, column: string | undefined): SafeHtml | null {
  const words = inspected.columns.find(({ name }) => name === column)?.values;
  if (!words) return null;
  const kindOf = (word: string): string | undefined => {
    if (chosen.from === 'guess') return chosen.guess.kinds[word];
    return Object.entries(chosen.mapping.kinds ?? {}).find(([, said]) => said.includes(word))?.[0];
  };
  const kinds: readonly (RowKind | 'ignored')[] = [...rowKinds, 'ignored'];
  const textOf = (kind: string): string => (kind === 'ignored' ? 'ignored: no money of a payer' : toWords(kind));
  return html`<fieldset class="boxes">
    <legend>What the values of ${column} mean</legend>
    <div class="fields">
      ${words.map((word, at) =>
        choice(kindField(at), word === '' ? '(empty)' : word, kinds, kindOf(word), { any: 'Choose', textOf }),
      )}
    </div>
  </fieldset>`;
}

function formatFields(chosen: UploadMapping): SafeHtml {
  const { decimalMark, dateFormat } = chosen.from === 'guess' ? chosen.guess : chosen.mapping;
  const { amountUnit = 'major', timeZone = 'UTC', span } = chosen.from === 'guess' ? {} : chosen.mapping;
  const marks = { '.': '25.90', ',': '25,90' } as const;
  const units = { major: 'as on a bill', minor: 'in cents, without decimals' } as const;
  return html`<div class="fields">
      ${choice('decimalMark', 'Amounts are written', ['.', ','], decimalMark, { any: false, textOf: (one) => marks[one as '.'] })}
      ${choice('amountUnit', 'Amounts are', ['major', 'minor'], amountUnit, { any: false, textOf: (one) => units[one as 'major'] })}
      ${textField({ name: 'dateFormat', label: 'Format of dates', value: dateFormat ?? '', placeholder: 'DD/MM/YYYY HH:mm:ss', hint: 'Empty: 2026-01-31 and 2026-01-31T12:00:00Z.' })}
      ${textField({ name: 'timeZone', label: 'Time zone of dates', value: timeZone, hint: 'Such as UTC or Europe/Lisbon.' })}
    </div>
    ${checkBox('isWhole', 'The file has all movements from its first to its last date, both included', span === 'dates')}`;
}
