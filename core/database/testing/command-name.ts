/**
 * The command of a message of MongoDB's wire protocol, as the driver writes it: header, flags, kind of section, and a document
 * whose first member is the command. The messages that begin a connection have another form, and some other name here.
 */
export function commandNameOf(message: Buffer): string {
  const at = 16 + 4 + 1 + 4 + 1;
  return message.toString('latin1', at, message.indexOf(0, at));
}
