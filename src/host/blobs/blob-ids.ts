import { isJsonObject } from "../../core/base/json.ts";
import { isBlobId } from "../../core/port/blobs.ts";

/** Returns the blobs that messages have as images or files. What only their words name does not count. */
export function blobsOfMessages(messages: readonly unknown[]): readonly string[] {
  return messages.flatMap((message) => {
    const content = isJsonObject(message) ? message["content"] : undefined;
    return Array.isArray(content) ? content.flatMap((block) => blobsOfBlock(block)) : [];
  });
}

function blobsOfBlock(block: unknown): readonly string[] {
  const source = isJsonObject(block) ? block["source"] : undefined;
  if (!isJsonObject(source) || source["type"] !== "blob") return [];
  const { id, scaled } = source;
  const copy = isJsonObject(scaled) ? scaled["id"] : undefined;
  return [id, copy].filter((each): each is string => typeof each === "string" && isBlobId(each));
}

/** Returns the blobs that the pictures of an encoded text name: its words are UTF-8, in which each hex digit is one byte. */
export function blobsOfBytes(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return Array.from(text.matchAll(/blob:([0-9a-f]{64})/gu), ([, id]) => id ?? "");
}
