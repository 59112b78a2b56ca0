import { isJsonObject, type Json, type JsonObject } from "../../core/base/json.ts";
import type { ServerContent, ServerResult, ServerTool } from "../../core/tool/server/server-tool.ts";

/** Longest list of tools that is read; a longer one comes from a broken or hostile server. */
export const toolsMax = 512;
/** Deepest nesting accepted from a server. */
const depthMax = 64;

/** Reads one tool of a server's list; returns the reason when it is invalid. */
export function readServerTool(value: unknown): ServerTool | string {
  if (!isJsonObject(value) || isTooDeep(value)) return "a tool that could not be read";
  const { name, description, title, inputSchema, annotations } = value;
  if (typeof name !== "string" || name === "" || name.length > 300 || !name.isWellFormed())
    return "a tool without a name";
  if (!isJsonObject(inputSchema)) return `${name.slice(0, 80)}: it does not say what parameters it takes`;
  const hints = isJsonObject(annotations) ? annotations : {};
  const flag = <Name extends string>(own: Name, theirs: string): { readonly [Key in Name]?: boolean } => {
    const said = hints[theirs];
    return typeof said === "boolean" ? ({ [own]: said } as { readonly [Key in Name]: boolean }) : {};
  };
  return {
    name,
    description:
      ([description, title, hints["title"]].find((text) => typeof text === "string" && text !== "") as string) ?? "",
    inputSchema,
    hints: {
      ...flag("readOnly", "readOnlyHint"),
      ...flag("idempotent", "idempotentHint"),
      ...flag("openWorld", "openWorldHint"),
    },
    ...viewOf(value["_meta"]),
  };
}

/** The view of a tool, as the extension and the hosts before it name it. */
function viewOf(meta: Json | undefined): Pick<ServerTool, "view"> {
  if (!isJsonObject(meta)) return {};
  const named = isJsonObject(meta["ui"]) ? meta["ui"]["resourceUri"] : meta["ui/resourceUri"];
  return typeof named === "string" && named.startsWith("ui://") && named.length <= 2_000 ? { view: named } : {};
}

/** Reads the result of a call; null when it does not follow the protocol. */
export function readServerResult(value: unknown): ServerResult | null {
  if (!isJsonObject(value) || isTooDeep(value)) return null;
  const { content = [], structuredContent, isError } = value;
  if (!Array.isArray(content)) return null;
  return {
    ok: isError !== true,
    content: content.map(readContent),
    ...(structuredContent === undefined || structuredContent === null ? {} : { structured: structuredContent }),
  };
}

function readContent(part: Json): ServerContent {
  if (!isJsonObject(part)) return { type: "unknown", kind: typeof part };
  const { text, data, mimeType, resource } = part;
  const type = textOr(part["type"], "none");
  switch (type) {
    case "text":
      if (typeof text === "string") return { type, text };
      break;
    case "image":
    case "audio":
      if (typeof data === "string") return { type, mediaType: textOr(mimeType, "of no said kind"), data };
      break;
    case "resource_link":
      return linkOf(part);
    case "resource":
      if (isJsonObject(resource)) return resourceOf(resource);
      break;
    default:
  }
  return { type: "unknown", kind: type };
}

function linkOf({ uri, name, mimeType, description }: JsonObject): ServerContent {
  return {
    type: "link",
    uri: textOr(uri, ""),
    name: textOr(name, textOr(uri, "")),
    mediaType: typeof mimeType === "string" ? mimeType : null,
    description: typeof description === "string" ? description : null,
  };
}

function resourceOf({ uri, mimeType, text, blob }: JsonObject): ServerContent {
  const facts = { uri: textOr(uri, ""), mediaType: typeof mimeType === "string" ? mimeType : null };
  if (typeof text === "string") return { type: "resource", ...facts, content: { text } };
  if (typeof blob === "string") return { type: "resource", ...facts, content: { data: blob } };
  return { type: "unknown", kind: "resource" };
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

/** Checks level by level, since later readers may recurse. */
export function isTooDeep(value: Json): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}
