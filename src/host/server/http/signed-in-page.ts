import type { ServerResponse } from "node:http";
import type { Refusal } from "../../../core/base/errors.ts";
import type { Result } from "../../../core/base/result.ts";
import { sendNotice } from "./notice-page.ts";

/** Answers a browser that comes back from signing in at an MCP server: a page without scripts that says what happened. */
export function sendSignedIn(response: ServerResponse, finished: Result<string, Refusal>): null {
  const notice = finished.ok
    ? { status: 200, title: "Signed in", words: `Heddle is signed in at ${finished.value}. You can close this page.` }
    : { status: 400, title: "Not signed in", words: finished.error.message };
  sendNotice(response, notice);
  return null;
}
