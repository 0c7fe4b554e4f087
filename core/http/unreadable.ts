/** Answers data that is not a valid HTTP request. No route or middleware sees it. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { stringifyExact } from '@paywright/contract';
import { GatewayError, invalidField } from '../base/errors.ts';
import { presentProblem } from './middleware/problem.ts';

/** Converts the error of Node's parser to the error that the sender reads. */
export function toUnreadable(error: NodeJS.ErrnoException, maxHeaderBytes: number): GatewayError {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    const message = `the headers are larger than ${maxHeaderBytes} bytes`;
    return new GatewayError('PAYLOAD_TOO_LARGE', message, { details: { limit: maxHeaderBytes } });
  }
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  return invalidField('request', null, isLate ? 'did not arrive in time' : 'is not valid HTTP/1.1');
}

/** The complete answer as sent over the connection, which is closed afterwards. */
export function writeUnreadable(error: GatewayError, publicUrl: string): string {
  const requestId = randomUUID();
  const problem = presentProblem(error, { publicUrl, instance: '/', requestId, now: new Date() });
  const body = stringifyExact(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
