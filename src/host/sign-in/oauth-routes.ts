import type { IncomingMessage, ServerResponse } from "node:http";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { OAuthAnswer } from "../../core/port/oauth.ts";
import { closeAfterAnswer, sendJson, sendRefusal } from "../server/http/http-answer.ts";
import { sendNotice } from "../server/http/notice-page.ts";
import { readForm } from "../server/http/read-body.ts";
import { securityHeaders } from "../server/http/security-headers.ts";
import { tooManyTries } from "./ceremony-words.ts";
import { resourceMetadata } from "./oauth-resources.ts";
import { networkOf } from "./request-facts.ts";
import type { SignInParts } from "./sign-in-parts.ts";

const bodyBytesMax = 16 * 1024;
const addressUnitsMax = 4 * 1024;
/** Requests of one network in a minute: behind a proxy, and in one office, people and programs share one. */
const requestsMax = 600;
const questionsMax = 60;

const authorizePath = "/oauth/authorize";
/** The only addresses of the library that exist; every other is answered before it is loaded. */
const methods: ReadonlyMap<string, "GET" | "POST"> = new Map([
  ["/.well-known/oauth-authorization-server", "GET"],
  [authorizePath, "GET"],
  ["/oauth/token", "POST"],
  ["/oauth/revoke", "POST"],
]);
const consentPath = "/auth/consent/";
/** The way back from a person's answer. */
const resumePattern = /^\/oauth\/authorize\/[A-Za-z0-9_-]{10,100}$/;

/** Answers a request of a program that signs in, or of the browser that it sends here; false: the address is none of them. */
export async function answerOAuth(
  parts: SignInParts,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<boolean> {
  const metadata = resourceMetadata(path, parts.origin);
  const method = metadata !== null || resumePattern.test(path) ? "GET" : methods.get(path);
  if (method === undefined) return false;
  if (metadata !== null && request.method === "GET") {
    sendJson(response, 200, metadata);
    return true;
  }
  const refused = whyNot(parts, request, method, path);
  if (refused !== null) return refuse(request, response, refused);
  const body = method === "POST" ? await readForm(request, bodyBytesMax) : null;
  if (body !== null && !body.ok) return refuse(request, response, body.error);
  const asked = path === authorizePath ? withScope(request.url ?? path, parts.origin) : path;
  const oauth = await parts.oauth();
  const answer = await oauth.answer({
    method,
    path: asked,
    cookie: request.headers.cookie ?? "",
    body: body === null ? null : body.value,
  });
  send(response, answer, { parts, isPage: path.startsWith(authorizePath) });
  return true;
}

function whyNot(parts: SignInParts, request: IncomingMessage, method: string, path: string): Refusal | null {
  if (request.method !== method) return refusal("UNKNOWN_METHOD", { method: request.method ?? "" });
  if ((request.url ?? "").length > addressUnitsMax) return refusal("FRAME_TOO_LARGE", { max: addressUnitsMax });
  const network = networkOf(request);
  const wait =
    path === authorizePath
      ? parts.guests.tryFrom(`${network} oauth-questions`, questionsMax)
      : parts.guests.tryFrom(`${network} oauth`, requestsMax);
  return wait === 0 ? null : tooManyTries(Math.ceil(wait / 1000));
}

function refuse(request: IncomingMessage, response: ServerResponse, refused: Refusal): true {
  const seconds = refused.details?.["seconds"];
  if (typeof seconds === "number") response.setHeader("retry-after", String(seconds));
  if (!request.complete) closeAfterAnswer(request, response);
  sendRefusal(response, refused);
  return true;
}

/** A program that says nothing of what it wants asks to read. */
function withScope(address: string, origin: string): string {
  const url = new URL(address, origin);
  if (!url.searchParams.has("scope")) url.searchParams.set("scope", "read");
  return url.pathname + url.search;
}

function send(
  response: ServerResponse,
  { status, location, cookies, body }: OAuthAnswer,
  { parts, isPage }: { readonly parts: SignInParts; readonly isPage: boolean },
): void {
  if (cookies.length > 0) response.setHeader("set-cookie", [...cookies]);
  if (location !== null) {
    const question = location.startsWith(consentPath) ? location.slice(consentPath.length) : null;
    const to = question === null ? location : `${parts.origin}/#consent=${question}`;
    response.writeHead(303, { ...securityHeaders, location: to, "cache-control": "no-store", "content-length": 0 });
    response.end();
  } else if (isPage) {
    sendNotice(response, { status: status >= 400 ? status : 400, title: "Not signed in", words: wordsOf(body) });
  } else sendJson(response, status, body ?? {});
}

/** What a person is told who is sent here by a program with a mistake: nobody is sent back to an address that was not judged. */
function wordsOf(body: JsonObject | null): string {
  const again = "Nothing was allowed. Go back to the program";
  const error = typeof body?.["error"] === "string" ? body["error"] : "";
  switch (error) {
    case "invalid_client":
      return `Heddle does not know this program, and could not read who it is. ${again}, or ask an owner of the workspace to register it.`;
    case "invalid_redirect_uri":
      return `The program wants to be answered at an address that it has not named before, so it may be another one. ${again} and look at its settings.`;
    case "session_not_found":
    case "invalid_request":
      return `The way here took too long, or was begun in another browser. ${again} and begin again.`;
    default:
      return `The program asked in a way that Heddle does not understand. ${again} and begin again.`;
  }
}
