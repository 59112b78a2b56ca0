import { isJsonObject, type Json, type JsonObject } from "../../../../src/core/base/json.ts";
import { isTextBlock } from "../../../../src/core/message/guards.ts";
import type { ToolMessage } from "../../../../src/core/message/types.ts";

/** What a message of a view leads to (MCP Apps, as the host has it). */
export type ViewAnswer =
  | { readonly type: "answer"; readonly message: object }
  /** The view is ready for the call it is about. */
  | { readonly type: "begun" }
  | { readonly type: "size"; readonly height: number }
  /** It wants to open an address: a person may, by a click. */
  | { readonly type: "link"; readonly url: string; readonly message: object }
  | { readonly type: "nothing" };

const protocolVersion = "2026-01-26";
const nothing: ViewAnswer = { type: "nothing" };

/** Reads a message of a view. It may ask for nothing but what is here: tools are called by agents, and by people through them. */
export function answerView(data: unknown): ViewAnswer {
  if (!isJsonObject(data) || data["jsonrpc"] !== "2.0" || typeof data["method"] !== "string") return nothing;
  const { method, id } = data;
  const params: JsonObject = isJsonObject(data["params"]) ? data["params"] : {};
  const isRequest = typeof id === "number" || typeof id === "string";
  if (!isRequest) {
    if (method === "ui/notifications/initialized") return { type: "begun" };
    const { height } = params;
    const isSize = method === "ui/notifications/size-changed" && typeof height === "number" && Number.isFinite(height);
    return isSize ? { type: "size", height } : nothing;
  }
  switch (method) {
    case "ui/initialize": {
      const asked = params["protocolVersion"];
      const result = {
        protocolVersion: typeof asked === "string" ? asked : protocolVersion,
        hostInfo: { name: "heddle", version: "0" },
        hostCapabilities: { openLinks: {} },
        hostContext: { displayMode: "inline", availableDisplayModes: ["inline"], platform: "web" },
      };
      return { type: "answer", message: { id, result } };
    }
    case "ui/open-link": {
      const { url } = params;
      const isShown = typeof url === "string" && url.length <= 2_000 && /^https:\/\//iu.test(url);
      return isShown
        ? { type: "link", url, message: { id, result: {} } }
        : refused(id, -32602, "Only https is opened.");
    }
    case "ping":
      return { type: "answer", message: { id, result: {} } };
    default:
      return refused(id, -32601, `${method.slice(0, 80)} is not offered here.`);
  }
}

function refused(id: Json, code: number, message: string): ViewAnswer {
  return { type: "answer", message: { id, error: { code, message } } };
}

/** Returns what a view is told when it is ready: the arguments of its call, and the result. */
export function firstNotes(parameters: JsonObject, { content, outcome }: ToolMessage): readonly object[] {
  const texts = content.filter(isTextBlock).map(({ text }) => ({ type: "text", text }));
  const structured = structuredIn(texts.at(-1)?.text ?? "");
  const result = {
    content: texts,
    isError: outcome !== "ok",
    ...(structured === null ? {} : { structuredContent: structured }),
  };
  return [
    { method: "ui/notifications/tool-input", params: { arguments: parameters } },
    { method: "ui/notifications/tool-result", params: result },
  ];
}

/** The data of a result is kept as its last text. */
function structuredIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
