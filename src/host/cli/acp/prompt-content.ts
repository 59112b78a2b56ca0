import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { CallParams } from "../../../core/protocol/commands.ts";
import { fenceFor } from "../../../core/message/fence.ts";
import { wrongParams } from "./acp-refusal.ts";

/** Stores bytes as a blob and returns its id. */
export type Upload = (bytes: Uint8Array) => Promise<Result<string, Refusal>>;

type Attachments = NonNullable<CallParams<"message.send">["attachments"]>;

/** What a person said in an editor, as a message of Heddle's. */
export interface Said {
  readonly text: string;
  readonly attachments: Attachments;
}

/** Reads a prompt: text, links and embedded texts become the message's text, images and files its attachments. */
export async function readPrompt(blocks: readonly ContentBlock[], upload: Upload): Promise<Result<Said, Refusal>> {
  const texts: string[] = [];
  const attachments: Attachments[number][] = [];
  const attach = async (path: string, data: string, name?: string): Promise<Refusal | null> => {
    const put = await upload(bytesOf(path, data));
    if (!put.ok) return put.error;
    attachments.push({ blobId: put.value, ...(name === undefined ? {} : { name }) });
    return null;
  };
  for (const [index, block] of blocks.entries()) {
    const path = `prompt.${index}`;
    const part = readBlock(path, block);
    if ("text" in part) {
      if (part.text !== "") texts.push(part.text);
      continue;
    }
    const refused = await attach(`${path}.${part.field}`, part.data, part.name);
    if (refused !== null) return { ok: false, error: refused };
  }
  return ok({ text: texts.join("\n\n").toWellFormed(), attachments });
}

type Part =
  | { readonly text: string }
  | { readonly data: string; readonly field: string; readonly name: string | undefined };

function readBlock(path: string, block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "resource_link":
      return {
        text: `[${plain(block.title ?? block.name)}](<${block.uri.replaceAll(/[<>\s]/gu, encodeURIComponent)}>)`,
      };
    case "image":
      return { data: block.data, field: "data", name: nameIn(block.uri ?? "") };
    case "audio":
      throw wrongParams(path, "Heddle's models take no audio here; nothing was sent. Send the words as text.");
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return { text: embedded(resource.uri, resource.text) };
      if ("blob" in resource) return { data: resource.blob, field: "resource.blob", name: nameIn(resource.uri) };
      throw wrongParams(path, "An embedded resource has a text or a blob; nothing was sent.");
    }
    default:
      throw wrongParams(path, "Heddle does not know this kind of content; nothing was sent.");
  }
}

/** A text of the editor's, with its address, as the person gave it with the message. */
function embedded(uri: string, text: string): string {
  const fence = fenceFor(text);
  return `${fence} ${uri.replaceAll(/[\s`]+/gu, " ")}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

function plain(name: string): string {
  return name.replaceAll(/[[\]\n]/gu, " ");
}

function bytesOf(path: string, data: string): Uint8Array {
  const compact = data.replaceAll(/\s+/gu, "");
  if (compact === "" || !/^[A-Za-z0-9+/]*={0,2}$/u.test(compact) || compact.length % 4 === 1) {
    throw wrongParams(path, "This content is not base64; nothing was sent.");
  }
  return Buffer.from(compact, "base64");
}

/** Returns the last name of an address, if it can be a file's. */
function nameIn(uri: string): string | undefined {
  const last = uri.split(/[?#]/u)[0]?.split("/").at(-1) ?? "";
  const name = decoded(last);
  return /^[^/\\\p{Cc}\u202a-\u202e\u2066-\u2069]{1,200}$/u.test(name) ? name : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
