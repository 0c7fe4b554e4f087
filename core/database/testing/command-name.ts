/**
 * Reads the command name from a message of MongoDB's wire protocol as the driver writes it: header, flags, section
 * kind, and a document whose first member is the command. Messages that open a connection have another format; for them
 * the result is some other text.
 */
export function commandNameOf(message: Buffer): string {
  const at = 16 + 4 + 1 + 4 + 1;
  return message.toString('latin1', at, message.indexOf(0, at));
}
