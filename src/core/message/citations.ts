import { isJsonObject, type Json } from "../base/json.ts";
import type { AssistantContentBlock } from "./types.ts";

/** A source that a provider named for the words or for a step of a reply. */
export interface Source {
  readonly url: string;
  /** The address's host where the provider gives no title. */
  readonly title: string;
}

/** Sources of one block that are listed. */
const sourcesMax = 100;
/** The depth of JSON that is searched. */
const depthMax = 12;

/**
 * Returns the sources of a block, each once, in order. APIs name them in forms of their own (citations, annotations,
 * grounding, results of a search); common to all is an object with an address and perhaps a title.
 */
export function sourcesOf(block: AssistantContentBlock): readonly Source[] {
  const found = new Map<string, Source>();
  if (block.type === "opaque") collect(block.raw, found, 0);
  else if ((block.type === "text" || block.type === "refusal") && block.native !== undefined)
    collect(block.native.data, found, 0);
  return [...found.values()];
}

function collect(value: Json, found: Map<string, Source>, depth: number): void {
  if (depth > depthMax || found.size >= sourcesMax) return;
  if (Array.isArray(value)) {
    for (const each of value) collect(each, found, depth + 1);
    return;
  }
  if (!isJsonObject(value)) return;
  const url = webAddress(value["url"]) ?? webAddress(value["uri"]) ?? webAddress(value["source"]);
  const { title } = value;
  if (url !== null && (!found.has(url.href) || typeof title === "string"))
    found.set(url.href, {
      url: url.href,
      title: typeof title === "string" && title.trim() !== "" ? oneLine(title) : url.host,
    });
  for (const held of Object.values(value)) collect(held, found, depth + 1);
}

/** Returns an address that a person may follow; null for anything else, such as a script or data in an address. */
function webAddress(value: Json | undefined): { readonly href: string; readonly host: string } | null {
  if (typeof value !== "string" || value.length > 4_000) return null;
  const host = /^https?:\/\/(?:[^\s/?#@]*@)?([^\s/?#@\\]+)[^\s\\]*$/iu.exec(value)?.[1];
  return host === undefined ? null : { href: value, host };
}

function oneLine(title: string): string {
  return title.replaceAll(/\s+/gu, " ").trim().slice(0, 300);
}

/** Returns sources as a line of Markdown links; empty for none. */
export function sourceLinks(sources: readonly Source[]): string {
  if (sources.length === 0) return "";
  const links = sources.map(
    ({ url, title }) => `[${title.replaceAll(/[[\]\\]/gu, "\\$&")}](<${url.replaceAll(">", "%3E")}>)`,
  );
  return `Sources: ${links.join(", ")}`;
}

/** Returns the text of a block with its sources below, for readers that cannot show them: those not in the text already. */
export function withPlainSources(block: Extract<AssistantContentBlock, { readonly type: "text" }>): string {
  const missing = sourcesOf(block).filter(({ url }) => !block.text.includes(url));
  return missing.length === 0 ? block.text : `${block.text}\n\n${sourceLinks(missing)}`;
}
