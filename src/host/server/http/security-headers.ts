/** The headers of every answer. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "x-frame-options": "DENY",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

/** The policy of everything except the app's page: nothing may be loaded or run. */
export const inertPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** The policy of the script that keeps the app's shell: it fetches from this server alone. */
export const shellWorkerPolicy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";

export interface PagePolicy {
  /** `127.0.0.1:7420` or the like, as the page requested it. */
  readonly host: string;
  /** SHA-256 hashes, base64, of the page's inline scripts. */
  readonly scriptHashes: readonly string[];
}

/** Returns the policy of the app's page. The threat model names each exception from 'self'. */
export function pagePolicy({ host, scriptHashes }: PagePolicy): string {
  const scripts = scriptHashes.map((hash) => ` 'sha256-${hash}'`).join("");
  return [
    "default-src 'none'",
    `script-src 'self'${scripts}`,
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self' ws://${host}`,
    "worker-src 'self'",
    "frame-src 'self'",
    "require-trusted-types-for 'script'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/**
 * The headers of the page that draws diagrams inside a frame of the app: it has no origin, may run only the app's own scripts,
 * and can reach nothing. Only the app may frame it; X-Frame-Options knows no such exception, so it is left out here.
 */
export function framedPageHeaders(): Readonly<Record<string, string>> {
  const { "x-frame-options": _, ...rest } = securityHeaders;
  return {
    ...rest,
    "content-security-policy": [
      "sandbox allow-scripts",
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'unsafe-inline'",
      "img-src data:",
      "font-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ].join("; "),
  };
}
