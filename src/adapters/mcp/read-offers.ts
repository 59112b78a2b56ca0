import { isJsonObject, type Json, type JsonObject } from "../../core/base/json.ts";
import type {
  FilledPrompt,
  PromptParameter,
  ResourceContent,
  ServerPrompt,
  ServerResource,
} from "../../core/tool/server/server-offers.ts";
import { isTooDeep } from "./read-server.ts";

/** The longest lists that are read, and the longest words of an entry. */
export const offersMax = 1_000;
const wordsMax = 1_000;
const uriMax = 2_000;
const parametersMax = 20;

/** Reads one resource of a server's list; null for one that cannot be shown. */
export function readServerResource(value: unknown): ServerResource | null {
  if (!isJsonObject(value)) return null;
  const { uri, name, title, description, mimeType } = value;
  if (typeof uri !== "string" || uri === "" || uri.length > uriMax || !uri.isWellFormed()) return null;
  return {
    uri,
    name: words(title) || words(name) || uri,
    description: words(description),
    mediaType: typeof mimeType === "string" ? mimeType.slice(0, 200) : null,
  };
}

/** Reads one prompt of a server's list; null for one that cannot be filled in. */
export function readServerPrompt(value: unknown): ServerPrompt | null {
  if (!isJsonObject(value)) return null;
  const { name, title, description, arguments: taken = [] } = value;
  if (typeof name !== "string" || name === "" || name.length > wordsMax || !Array.isArray(taken)) return null;
  if (taken.length > parametersMax) return null;
  const parameters: PromptParameter[] = [];
  for (const each of taken) {
    if (!isJsonObject(each) || typeof each["name"] !== "string" || each["name"].length > 200) return null;
    parameters.push({
      name: each["name"],
      description: words(each["description"]),
      isRequired: each["required"] === true,
    });
  }
  return { name, title: words(title) || name, description: words(description), parameters };
}

/** Reads what a server answers to a read; null where it does not follow the protocol. */
export function readContents(value: unknown): readonly ResourceContent[] | null {
  if (!isJsonObject(value) || isTooDeep(value) || !Array.isArray(value["contents"])) return null;
  const contents = value["contents"].map(readContent);
  return contents.every((each) => each !== null) ? contents : null;
}

/** Reads a filled prompt: the words of its messages, and the resources and images in them. */
export function readFilledPrompt(value: unknown): FilledPrompt | null {
  if (!isJsonObject(value) || isTooDeep(value) || !Array.isArray(value["messages"])) return null;
  const texts: string[] = [];
  const attached: ResourceContent[] = [];
  for (const message of value["messages"]) {
    if (!isJsonObject(message) || !isJsonObject(message["content"])) return null;
    const { content } = message;
    if (content["type"] === "text" && typeof content["text"] === "string") {
      // One field holds what the server would have two people say.
      texts.push(message["role"] === "assistant" ? `[Answer] ${content["text"]}` : content["text"]);
    } else if (content["type"] === "resource") {
      const read = readContent(content["resource"] ?? null);
      if (read !== null) attached.push(read);
    } else if (content["type"] === "resource_link" && typeof content["uri"] === "string") {
      texts.push(content["uri"].slice(0, uriMax));
    } else if (typeof content["data"] === "string") {
      const mediaType = typeof content["mimeType"] === "string" ? content["mimeType"] : null;
      attached.push({ uri: "", mediaType, content: { data: content["data"] } });
    }
  }
  return { text: texts.join("\n\n"), attached };
}

function readContent(value: Json): ResourceContent | null {
  if (!isJsonObject(value)) return null;
  const { uri, mimeType, text, blob, _meta } = value;
  const facts = {
    uri: typeof uri === "string" ? uri.slice(0, uriMax) : "",
    mediaType: typeof mimeType === "string" ? mimeType : null,
    ...originsOf(_meta),
  };
  if (typeof text === "string") return { ...facts, content: { text } };
  return typeof blob === "string" ? { ...facts, content: { data: blob } } : null;
}

function originsOf(meta: Json | undefined): Pick<ResourceContent, "origins"> {
  const ui = isJsonObject(meta) && isJsonObject(meta["ui"]) ? meta["ui"] : {};
  const csp: JsonObject = isJsonObject(ui["csp"]) ? ui["csp"] : {};
  const connect = textsOf(csp["connectDomains"]);
  const load = textsOf(csp["resourceDomains"]);
  return connect.length + load.length === 0 ? {} : { origins: { connect, load } };
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string").slice(0, 20) : [];
}

function words(value: Json | undefined): string {
  return typeof value === "string" ? value.toWellFormed().slice(0, wordsMax) : "";
}
