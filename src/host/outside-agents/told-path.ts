import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { ForestNode } from "../../core/forest/types.ts";
import type { Message } from "../../core/message/types.ts";
import type { BlobStore } from "../../core/port/blobs.ts";

/** The most text of an earlier path that an agent is told. UTF-16 units. */
const toldUnitsMax = 200_000;

/** Returns people's messages as a prompt: texts, and images where the agent takes them. */
export async function promptOf(
  nodes: readonly ForestNode[],
  { blobs, images }: { readonly blobs: Pick<BlobStore, "get">; readonly images: boolean },
): Promise<ContentBlock[]> {
  const prompt: ContentBlock[] = [];
  for (const { message } of nodes) {
    if (message.role !== "user" || message.instruction !== undefined) continue;
    for (const block of message.content) {
      if (block.type === "text") prompt.push({ type: "text", text: block.text });
      else if (block.type !== "opaque") prompt.push(await mediaOf(block, { blobs, images }));
    }
  }
  return prompt;
}

type Media = Extract<
  Extract<Message, { readonly role: "user" }>["content"][number],
  { readonly type: "image" | "file" }
>;

async function mediaOf(
  block: Media,
  { blobs, images }: { readonly blobs: Pick<BlobStore, "get">; readonly images: boolean },
): Promise<ContentBlock> {
  const name = block.type === "file" ? (block.name ?? block.mediaType) : block.mediaType;
  const missing: ContentBlock = { type: "text", text: `[${block.type}: ${name}, which could not be passed on]` };
  if (block.source.type !== "blob" || block.type !== "image" || !images) return missing;
  const bytes = await blobs.get(block.source.id);
  if (!bytes.ok) return missing;
  return { type: "image", mimeType: block.mediaType, data: Buffer.from(bytes.value).toString("base64") };
}

/** Returns an earlier path as text, for an agent that has not been part of it. */
export function toldPath(nodes: readonly ForestNode[]): string {
  const parts = nodes.flatMap(({ message }) => {
    const words = wordsOf(message);
    return words === "" ? [] : [`${speakers[message.role]}:\n${words}`];
  });
  const text = parts.join("\n\n");
  const told = text.length <= toldUnitsMax ? text : `[the beginning is left out]\n${text.slice(-toldUnitsMax)}`;
  return `This is the conversation so far, which you have not been part of. Go on from it; answer only what follows after it.\n\n${told.toWellFormed()}\n\n[end of the conversation so far]`;
}

const speakers = { user: "Person", assistant: "Assistant", tool: "Result", system: "Note" } as const;

function wordsOf(message: Message): string {
  const words = message.content.map((block) => {
    switch (block.type) {
      case "text":
      case "refusal":
        return block.text;
      case "tool-use":
        return `[called ${block.name} ${JSON.stringify(block.parameters).slice(0, 2_000)}]`;
      case "image":
      case "file":
        return `[${block.type}]`;
      case "thinking":
      case "opaque":
      case "notice":
        return "";
    }
  });
  return words.filter((each) => each !== "").join("\n");
}
