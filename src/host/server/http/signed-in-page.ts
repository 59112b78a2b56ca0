import type { ServerResponse } from "node:http";
import type { Refusal } from "../../../core/base/errors.ts";
import type { Result } from "../../../core/base/result.ts";
import { inertPolicy, securityHeaders } from "./security-headers.ts";

/** Answers a browser that comes back from signing in at an MCP server: a page without scripts that says what happened. */
export function sendSignedIn(response: ServerResponse, finished: Result<string, Refusal>): null {
  const words = finished.ok
    ? `Heddle is signed in at ${finished.value}. You can close this page.`
    : finished.error.message;
  const title = finished.ok ? "Signed in" : "Not signed in";
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${escaped(words)}</p></html>`;
  response.writeHead(finished.ok ? 200 : 400, {
    ...securityHeaders,
    "content-security-policy": inertPolicy,
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(page);
  return null;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
}
