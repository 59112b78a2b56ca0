import type { ServerResponse } from "node:http";
import { securityHeaders } from "./security-headers.ts";

/** Sends a page of an MCP server to the frame that shows it, under its own policy. */
export function sendServerView(
  response: ServerResponse,
  { html, policy }: { readonly html: string; readonly policy: string },
): null {
  const { "x-frame-options": _frames, ...headers } = securityHeaders;
  response.writeHead(200, {
    ...headers,
    // What the server declared is loaded without cookies, and needs no consent of its origin.
    "cross-origin-embedder-policy": "credentialless",
    "content-security-policy": policy,
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(html);
  return null;
}
