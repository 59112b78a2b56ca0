import { refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject } from "../../core/base/json.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Web, WebHit, WebPage } from "../../core/port/web.ts";
import { getPage, type PageRules } from "./get-page.ts";
import { readPage } from "./read-page.ts";

/** What the owner set. */
export interface WebSettings extends PageRules {
  /** The address of a search service that answers as SearXNG does; none: there is no search. */
  readonly searchUrl: string | null;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

const hitsMax = 10;
const searchMsMax = 15_000;
const searchBytesMax = 2 * 1024 * 1024;

/** Opens the web as agents reach it. */
export function openWeb(settings: WebSettings): Web {
  return {
    searches: settings.searchUrl !== null,
    reachesInside: settings.namedHosts.length > 0,
    search: (query, signal) => search(query, signal, settings),
    page: (url, signal) => page(url, signal, settings),
  };
}

function failed(what: string, facts: Readonly<Record<string, string>>, problem: unknown): Result<never, Refusal> {
  const message = `${what}: ${reasonOf(problem)}`;
  return err(refusal("TOOL_FAILED", facts, /[.!?]$/u.test(message) ? message : `${message}.`));
}

async function search(
  query: string,
  signal: AbortSignal,
  { searchUrl, fetch }: WebSettings,
): Promise<Result<readonly WebHit[], Refusal>> {
  const service = searchUrl === null ? null : URL.parse(searchUrl);
  if (service === null) return failed("There is no search service", { query }, "the owner set none");
  if (!/\/search\/?$/.test(service.pathname)) service.pathname = `${service.pathname.replace(/\/$/, "")}/search`;
  service.searchParams.set("q", query);
  service.searchParams.set("format", "json");
  try {
    const response = await fetch(service.href, {
      headers: { accept: "application/json" },
      // The service is the owner's; another address is not.
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(searchMsMax)]),
    });
    const body = await boundedText(response);
    if (!response.ok) return failed("The search service refused", { query }, `it answered ${response.status}`);
    return ok(hitsOf(JSON.parse(body)));
  } catch (problem) {
    return failed("The search service did not answer as SearXNG does (is its JSON format on?)", { query }, problem);
  }
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > searchBytesMax) throw new Error("its answer is too long");
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

function hitsOf(body: unknown): readonly WebHit[] {
  const list = isJsonObject(body) && Array.isArray(body["results"]) ? body["results"] : null;
  if (list === null) throw new Error("it gave no results");
  return list
    .flatMap((each: unknown): readonly WebHit[] => {
      if (!isJsonObject(each) || typeof each["url"] !== "string" || !/^https?:\/\//i.test(each["url"])) return [];
      const { url, title, content } = each;
      return [{ url, title: said(title, 300), excerpt: said(content, 600) }];
    })
    .slice(0, hitsMax);
}

function said(value: unknown, unitsMax: number): string {
  return typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim().slice(0, unitsMax).toWellFormed() : "";
}

async function page(url: string, signal: AbortSignal, rules: WebSettings): Promise<Result<WebPage, Refusal>> {
  try {
    const got = await getPage(url, signal, rules);
    if (got.status >= 400) return failed("The page was not read", { url }, `its server answered ${got.status}`);
    const isPage = /html|^\s*$/i.test(got.type) || /^\s*<(?:!doctype|html)/i.test(got.text);
    const read = isPage ? await readPage(got.text, got.url, signal) : { title: "", markdown: got.text };
    return ok({ url: got.url, ...read });
  } catch (problem) {
    return failed("The page was not read", { url }, problem);
  }
}
