import type { ServerResponse } from "node:http";
import { errorTable, type Refusal } from "../../core/base/errors.ts";
import type { Result } from "../../core/base/result.ts";
import { securityHeaders } from "../server/http/security-headers.ts";

/** Nothing is loaded or run; but it must go on by itself, so it is no sandbox. */
const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Answers a browser that comes from the provider. A strict cookie set on the way from another site is not sent on a redirect; a
 * page of our own that goes on by itself has it.
 */
export function sendReturnPage(response: ServerResponse, method: string, done: Result<unknown, Refusal>): void {
  const title = done.ok ? "Signed in" : "Not signed in";
  const words = done.ok ? "Heddle opens…" : done.error.message;
  const next = done.ok ? '<meta http-equiv="refresh" content="0;url=/">' : "";
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${next}<title>${title}</title><h1>${title}</h1><p role="status">${escaped(words)}</p><p><a href="/">Open Heddle</a></p></html>`;
  response.writeHead(done.ok ? 200 : errorTable[done.error.code].http, {
    ...securityHeaders,
    "content-security-policy": policy,
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(method === "HEAD" ? undefined : page);
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
}
