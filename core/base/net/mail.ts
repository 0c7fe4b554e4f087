/** Sends mail by SMTP. No mail can be sent if config names no server. */
import type { Transporter } from 'nodemailer';

export interface MailConfig {
  readonly host: string;
  readonly port: number;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  /** The name of the sender. Absent: the name in config, or the name of the product. */
  readonly fromName?: string;
  readonly subject: string;
  readonly text: string;
  /** The same text as HTML, for mail programs that show it. */
  readonly html?: string;
  /** Where an answer goes. Absent: to the sender. */
  readonly replyTo?: string;
}

export interface Mailer {
  /** Resolves when the server has accepted the mail. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

export function createMailer(smtp: MailConfig | undefined): Mailer | undefined {
  if (!smtp) return undefined;
  let opening: Promise<Transporter> | undefined;
  return {
    async send({ fromName, replyTo, ...mail }) {
      // Addresses are passed as objects, so that they are not parsed: none can add a second address or a header.
      opening ??= openTransport(smtp);
      const transport = await opening;
      await transport.sendMail({
        ...mail,
        from: senderOf(smtp.from, fromName),
        to: { name: '', address: mail.to },
        ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    },
    close: () => void opening?.then((transport) => transport.close()),
  };
}

/** Loads the library for the first mail. In every process it would take 3 MB. */
async function openTransport({ host, port, user, password }: MailConfig): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure: port === 465,
    // A password is never sent unencrypted.
    requireTLS: port !== 465 && user !== undefined,
    pool: true,
    maxConnections: 2,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
  });
}

/** Config may name the sender: `Payments <pay@shop.example>`. A mail about a merchant has its name instead. */
function senderOf(from: string, name?: string): string | { readonly name: string; readonly address: string } {
  const address = /<([^<>]+)>/.exec(from)?.[1];
  if (name === undefined && address !== undefined) return from;
  return { name: name ?? 'Paywright', address: address ?? from };
}
