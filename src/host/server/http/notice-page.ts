import type { ServerResponse } from "node:http";
import { inertPolicy, securityHeaders } from "./security-headers.ts";

/** Answers a browser with a page without scripts that says what happened. */
export function sendNotice(
  response: ServerResponse,
  { status, title, words }: { readonly status: number; readonly title: string; readonly words: string },
): void {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title><h1>${escaped(title)}</h1><p>${escaped(words)}</p></html>`;
  response.writeHead(status, {
    ...securityHeaders,
    "content-security-policy": inertPolicy,
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(page);
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
}
