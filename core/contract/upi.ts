/** UPI by its three modes, of which the UPI id of a submission says one. */

/** Two UPI ids mean *not known yet*: the payer's app opens a link, or scans a QR code. */
export const upiIds = { upi_intent: 'intent@gw', upi_qr: 'qr@gw' } as const;

/** The mode that a UPI id asks for, in any letter case; any id but those two is a request to that payer. */
export function upiMethodOf(upiId = ''): 'upi_collect' | keyof typeof upiIds {
  const id = upiId.toLowerCase();
  return id === upiIds.upi_intent ? 'upi_intent' : id === upiIds.upi_qr ? 'upi_qr' : 'upi_collect';
}
