/** A mail server that delivers nothing. In development it saves every mail as a file, for people to read. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callbackify } from 'node:util';
import { importOptional } from './import-optional.ts';
import { makeFolder } from '../data-folder/make-folder.ts';

/** The name under which its port is kept. No adapter has this name. */
export const mailCatcher = '@mail';

export interface MailCatcher {
  close(): Promise<void>;
}

export interface MailCatcherOptions {
  readonly port: number;
  readonly folder: string;
  readonly onMail: (file: string) => void;
}

const MAX_BYTES = 1_000_000;

/** Listens on 127.0.0.1. Rejects if the port is taken or the mail server package is not installed. */
export async function startMailCatcher({ port, folder, onMail }: MailCatcherOptions): Promise<MailCatcher> {
  await makeFolder(folder);
  let count = 0;
  const keep = async (mail: AsyncIterable<Buffer>): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of mail) chunks.push(chunk);
    count += 1;
    const file = join(folder, `${Date.now()}-${count}.eml`);
    await writeFile(file, Buffer.concat(chunks), { mode: 0o600 });
    onMail(file);
  };
  const { SMTPServer } = await importOptional(async () => import('smtp-server'), {
    name: 'smtp-server',
    neededFor: 'The mail catcher (mail.catcher)',
    instead: 'set mail.smtp',
  });
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    size: MAX_BYTES,
    onData(stream, _session, done) {
      callbackify(keep)(stream, done);
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  // A client that drops its connection must not stop the server.
  server.on('error', () => undefined);
  return {
    close: async () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
