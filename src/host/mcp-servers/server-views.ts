import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { ResourceContent } from "../../core/tool/server/server-offers.ts";

/** The path of a view, before its ticket. */
export const viewPath = "/view/";
/** How long a ticket may wait for the frame that shows it, and how many wait at once. */
const ticketMs = 60_000;
const ticketsMax = 50;
/** The largest view. UTF-16 units. */
const viewUnitsMax = 4 * 1024 * 1024;
/** What a server may name as an origin: https alone, without a path, so that nothing else gets into the policy. */
const originForm = /^https:\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?$/iu;

/** A page of a server, with the policy it is shown under. */
interface ServerView {
  readonly html: string;
  readonly policy: string;
}

/**
 * Pages of MCP servers (MCP Apps) on their way into a frame. A frame sends no token, so each page has an address that nobody can guess,
 * which works once and for a minute.
 */
export class ServerViews {
  readonly #platform: Pick<Platform, "clock" | "random">;
  readonly #waiting = new Map<string, ServerView & { readonly until: number }>();

  constructor(platform: Pick<Platform, "clock" | "random">) {
    this.#platform = platform;
  }

  /** Keeps a page for the frame that will ask for it; returns its path. */
  add(contents: readonly ResourceContent[]): Result<string, Refusal> {
    const [page] = contents;
    const isPage = page?.mediaType?.replaceAll(" ", "").startsWith("text/html;profile=mcp-app") === true;
    if (page === undefined || !isPage || !("text" in page.content) || page.content.text.length > viewUnitsMax) {
      return err(refusal("TOOL_FAILED", {}, "The server gave no view that can be shown. Its answer is in the call."));
    }
    const { clock, random } = this.#platform;
    const now = clock.now();
    for (const [ticket, { until }] of this.#waiting) if (until <= now) this.#waiting.delete(ticket);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= ticketsMax && oldest !== undefined) this.#waiting.delete(oldest);
    const ticket = Buffer.from(random.bytes(24)).toString("base64url");
    this.#waiting.set(ticket, { html: page.content.text, policy: viewPolicy(page.origins), until: now + ticketMs });
    return ok(`${viewPath}${ticket}`);
  }

  /** Takes the page of a path, once; null for any other path. */
  take(path: string): ServerView | null {
    const ticket = path.slice(viewPath.length);
    const found = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    return found === undefined || found.until <= this.#platform.clock.now() ? null : found;
  }
}

/**
 * Returns the policy of a view: an origin of its own, its own inline scripts and styles, and of the network only what the server has
 * declared.
 */
export function viewPolicy(
  { connect, load }: NonNullable<ResourceContent["origins"]> = { connect: [], load: [] },
): string {
  const allowed = (origins: readonly string[]): string =>
    origins
      .filter((origin) => originForm.test(origin))
      .map((origin) => ` ${origin}`)
      .join("");
  const loaded = allowed(load);
  return [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src 'unsafe-inline'${loaded}`,
    `style-src 'unsafe-inline'${loaded}`,
    `img-src data: blob:${loaded}`,
    `media-src data: blob:${loaded}`,
    `font-src data:${loaded}`,
    `connect-src${allowed(connect) || " 'none'"}`,
    "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}
