/** Versions of the interface: which versions are served, and the headers for an expired version. */
import { GatewayError } from '../../base/errors.ts';
import type { VersionNotice } from '../../engine/notifications/index.ts';
import type { HttpDeps } from '../deps.ts';
import type { RouteStep } from '../state.ts';

export const currentVersion = '2.1';

/** Still served, although its support has ended. */
export const deprecatedVersion = {
  version: '2.0',
  /** The release date of the successor. */
  deprecatedAt: new Date('2024-01-15T00:00:00Z'),
  supportEnded: '2024-06-30',
} as const;

/** Adds the headers to every answer for a request that names the deprecated version, including refusals. */
export function createVersionHeaders(publicUrl: string): RouteStep {
  const { version, deprecatedAt, supportEnded } = deprecatedVersion;
  const headers = {
    // RFC 9745, RFC 8594, RFC 7234
    Deprecation: `@${deprecatedAt.getTime() / 1000}`,
    Sunset: new Date(`${supportEnded}T23:59:59Z`).toUTCString(),
    Warning: `299 - "API version ${version} is past its support since ${supportEnded}: use ${currentVersion}"`,
    Link: `<${documentationOf(publicUrl)}>; rel="deprecation"`,
  };
  return async (ctx, next) => {
    if (ctx.get('X-API-Version') === version) ctx.set(headers);
    await next();
  };
}

/** Checks `X-API-Version`: VER001 for a version that is not served. The owner is notified about an expired version. */
export function createVersions({ config, merchantVersionNotice, log }: HttpDeps): RouteStep {
  const { version, supportEnded } = deprecatedVersion;
  const documentation = documentationOf(config.publicUrl);
  const notice: VersionNotice = { version, supportEnded, successor: currentVersion, documentation };

  return async (ctx, next) => {
    const asked = ctx.headers['x-api-version'] ?? currentVersion;
    if (asked !== currentVersion && asked !== version) {
      throw new GatewayError('UNSUPPORTED_VERSION', `X-API-Version must be ${currentVersion} or ${version}`, {
        details: { supported: [currentVersion, version] },
      });
    }
    if (asked === version) {
      // The answer does not wait for the notification.
      merchantVersionNotice?.(ctx.state.key!, notice).catch((error: unknown) => {
        log.error(
          { err: error, requestId: ctx.state.requestId },
          'an owner could not be notified of an old API version',
        );
      });
    }
    await next();
  };
}

function documentationOf(publicUrl: string): string {
  return `${publicUrl}/docs#versions`;
}
