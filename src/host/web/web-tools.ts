import type { Web } from "../../core/port/web.ts";
import type { SyntaxTool } from "../../core/syntax/base/tools.ts";
import { readToolInput, toolDefinition } from "../../core/tool/base/definitions.ts";
import { factsOfSpec, type ToolFacts } from "../../core/tool/base/facts.ts";
import type { ToolAnswer, ToolSpec } from "../../core/tool/base/types.ts";
import { findTool } from "../../core/tool/registry.ts";
import { webFetch, webFetchInside, webSearch } from "../../core/tool/web/web-tools.ts";
import type { ToolCall } from "../../core/turn/state/state.ts";
import type { ToolContext, ToolSource } from "../conversation/base/ports.ts";
import { cancelledCall, refusedAnswer } from "../tool/answer.ts";

/** Longest piece of a page in one answer, in UTF-16 units. */
const pieceMax = 20_000;

/** Opens the source of the tools for searching the web and reading pages. */
export function createWebTools(web: Web): ToolSource {
  const specs: readonly ToolSpec[] = [
    ...(web.searches ? [webSearch] : []),
    web.reachesInside ? webFetchInside : webFetch,
  ];
  const definitions: readonly SyntaxTool[] = specs.map((spec) => ({ ...toolDefinition(spec), access: spec.access }));
  const factsByName = new Map<string, ToolFacts>(specs.map((spec) => [spec.name, factsOfSpec(spec)]));
  return {
    definitions: () => definitions,
    facts: (name) => {
      const found = findTool(specs, name);
      return found.ok ? (factsByName.get(found.value.name) ?? null) : null;
    },
    run: (call: ToolCall, _context: ToolContext, signal: AbortSignal) =>
      signal.aborted
        ? Promise.resolve(refusedAnswer(cancelledCall()))
        : call.name.replaceAll(".", "_") === webSearch.name
          ? search(web, call, signal)
          : read(web, call, signal),
  };
}

async function search(web: Web, { parameters }: ToolCall, signal: AbortSignal): Promise<ToolAnswer> {
  const input = readToolInput(webSearch, parameters);
  if (!input.ok) return refusedAnswer(input.error);
  const found = await web.search(input.value.query, signal);
  if (!found.ok) return refusedAnswer(found.error);
  const pages = found.value.map(({ url, title, excerpt }) => ({ url, title, excerpt }));
  return { ok: true, content: { pages } };
}

async function read(web: Web, { parameters }: ToolCall, signal: AbortSignal): Promise<ToolAnswer> {
  const input = readToolInput(webFetch, parameters);
  if (!input.ok) return refusedAnswer(input.error);
  const { url, from = 0 } = input.value;
  const page = await web.page(url, signal);
  if (!page.ok) return refusedAnswer(page.error);
  const { markdown, title } = page.value;
  const piece = markdown.slice(from, from + pieceMax).toWellFormed();
  const next = from + pieceMax;
  return {
    ok: true,
    content: {
      url: page.value.url,
      title,
      text: piece,
      ...(next < markdown.length ? { next, of: markdown.length } : {}),
    },
  };
}
