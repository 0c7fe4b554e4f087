/** Builds requests to a provider. */
import { defined } from './defined.ts';
import { formType } from '../read/form-message.ts';
import { writeForm } from '../read/form.ts';
import { stringifyExact } from '../read/json.ts';
import type { HttpRequest } from '../provider.ts';

/**
 * A path whose values are escaped, so that no value can change the rest of the path: urlPath`/charges/${id}/refunds`.
 */
export function urlPath(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}

/** A POST of one JSON message, in which a `JsonNumber` keeps its spelling. A header that is undefined is left out. */
export function jsonPost(
  path: string,
  message: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/json', ...(defined(headers) as Readonly<Record<string, string>>) },
    body: stringifyExact(message),
  };
}

/** A POST of a form, in the order of its members. A member that is undefined is left out. */
export function formPost(path: string, fields: Readonly<Record<string, string | undefined>>): HttpRequest {
  return { method: 'POST', path, headers: { 'Content-Type': formType }, body: writeForm(fields) };
}

/**
 * The part of a request's address that a signature covers: path and query after the host, including the path of the
 * base address.
 */
export function requestTarget(baseUrl: string, path: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '') + path;
}
