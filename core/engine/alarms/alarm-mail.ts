/** The mail about one alarm, as text and as HTML with the same content. */
import { html } from '@remix-run/html-template';
import type { Alarm } from '../../database/collections/alarm.ts';
import type { AuditHead } from '../../database/collections/audit-entry.ts';
import type { Mail } from '../../base/net/mail.ts';
import { mailPage, mailStyles } from '../../base/net/mail-page.ts';
import { presentAlarm, stakeText, subjectText } from './present.ts';

export interface AlarmMailFacts {
  /** The name of the merchant. Undefined: the alarm is about no merchant. */
  readonly merchant: string | undefined;
  /** The page of the alarm in the console. Undefined: config does not name the console's address. */
  readonly url: string | undefined;
  /** The environment of the gateway, such as `production`. */
  readonly gateway: string | undefined;
  readonly head: AuditHead | undefined;
}

/** Longer than any reason that a subject needs. */
const reasonOfSubject = 60;

export function toAlarmMail(alarm: Alarm, facts: AlarmMailFacts): Omit<Mail, 'to'> {
  const { id, title, severity, meaning, nextStep, cure, reason, environment } = presentAlarm(alarm);
  const details = detailsOf(alarm, facts);
  const mode = environment === 'test' ? ', test' : '';
  const subject = `[${severity}${mode}] ${title}: ${subjectLine(alarm, facts)}`;
  const { url, head } = facts;
  const command = `paywright alarms show '${id}'`;
  const ack = `paywright alarms ack '${id}'`;
  const audit = auditLine(head);
  return {
    subject: alarm.reports ? `Still open: ${subject}` : subject,
    text: [
      `${title} (${severity})`,
      reason,
      '',
      ...details.map(([name, value]) => `${name}: ${value}`),
      '',
      `First step: ${nextStep}`,
      '',
      ...(url === undefined ? [`Show it:     ${command}`] : [`Open it:     ${url}`]),
      `Acknowledge: ${ack}`,
      '',
      meaning,
      `What to do: ${cure}`,
      ...(audit === undefined ? [] : ['', audit]),
      '',
    ].join('\n'),
    html: mailPage({
      title,
      body: html`<p style="${mailStyles.flag[severity]}" class="${severity}">${severity}</p>
        <h1 style="${mailStyles.title}">${title}</h1>
        <p style="${mailStyles.text}">${reason}</p>
        <table role="presentation" style="${mailStyles.facts}">
          ${details.map(
            ([name, value]) =>
              html`<tr>
                <td style="${mailStyles.factName}" class="soft">${name}</td>
                <td style="${mailStyles.fact}">${value}</td>
              </tr>`,
          )}
        </table>
        <p style="${mailStyles.text}"><strong>First step:</strong> ${nextStep}</p>
        ${
          url === undefined
            ? html`<p style="${mailStyles.text}">
                Show it: <code style="${mailStyles.code}" class="code">${command}</code>
              </p>`
            : html`<p style="${mailStyles.text}">
                <a href="${url}" style="${mailStyles.button}" class="button">Open the alarm</a>
              </p>`
        }
        <p style="${mailStyles.text}">Acknowledge: <code style="${mailStyles.code}" class="code">${ack}</code></p>
        <p style="${mailStyles.small}" class="soft">${meaning} ${cure}</p>
        ${audit === undefined ? null : html`<p style="${mailStyles.small}" class="soft">${audit}</p>`}`,
    }),
  };
}

/** The thing, what happened, the money and the merchant: alarms about different things have different subjects. */
function subjectLine(alarm: Alarm, { merchant }: AlarmMailFacts): string {
  const { subject, reason } = alarm;
  const about = subjectText(subject, merchant);
  const shortReason = reason.length > reasonOfSubject ? `${reason.slice(0, reasonOfSubject - 1)}…` : reason;
  const stake = stakeText(alarm);
  const parts = [about, shortReason, stake, merchant].filter((part) => part !== undefined && part !== '');
  // A part that an earlier one contains says nothing new.
  return parts.filter((part, at) => !parts.slice(0, at).some((earlier) => earlier!.includes(part!))).join(', ');
}

function detailsOf(alarm: Alarm, { merchant, gateway }: AlarmMailFacts): readonly (readonly [string, string])[] {
  const { subject, count, firstSeenAt, lastSeenAt, environment } = presentAlarm(alarm);
  const stake = stakeText(alarm);
  const mode = environment === null ? undefined : `${environment} mode`;
  const where = [mode, gateway].filter((part) => part !== undefined).join(', ');
  return [
    ['About', subjectText(subject, merchant)],
    ...(merchant === undefined || subject.type === 'owner' ? [] : [['Merchant', merchant] as const]),
    ...(stake === undefined ? [] : [['Amount', stake] as const]),
    ...(where === '' ? [] : [['Environment', where] as const]),
    ['First raised', timeText(firstSeenAt)],
    ['Last raised', `${timeText(lastSeenAt)}${count > 1 ? `, ${count} times in all` : ''}`],
  ];
}

function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A mail is outside the database, so it can prove later that the audit log was not shortened. */
function auditLine(head: AuditHead | undefined): string | undefined {
  return head && `The audit log ends with ${head.sequence}:${head.hash} (paywright audit verify --noted).`;
}
