import type { Refusal } from "../base/errors.ts";
import type { Result } from "../base/result.ts";

/** A page that a search found. */
export interface WebHit {
  readonly url: string;
  readonly title: string;
  /** A few words of the page, as the search service shows them. */
  readonly excerpt: string;
}

/** A page as text. */
export interface WebPage {
  /** The address after all redirects. */
  readonly url: string;
  readonly title: string;
  readonly markdown: string;
}

/** The web as agents reach it: through a search service of the owner's, and page by page. */
export interface Web {
  /** Whether there is a search service. */
  readonly searches: boolean;
  /** Whether the owner named hosts inside, so that a page may hold what only the owner may know. */
  readonly reachesInside: boolean;
  search(query: string, signal: AbortSignal): Promise<Result<readonly WebHit[], Refusal>>;
  page(url: string, signal: AbortSignal): Promise<Result<WebPage, Refusal>>;
}
