import type { HeddleClient } from "../../../src/client/base/types.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import type { FolderId } from "../../../src/core/base/ids.ts";
import { readBlob } from "../browser/blob-client.ts";

/** Fetches a file of a folder; a refusal, or null when its bytes are not available. */
export async function folderFile(
  client: Pick<HeddleClient, "call">,
  { folderId, path, signal }: { readonly folderId: FolderId; readonly path: string; readonly signal: AbortSignal },
): Promise<File | Refusal | null> {
  const copied = await client.call("file.attach", { folderId, path });
  if (!copied.ok) return copied.error;
  const { blobId, mediaType: type, name } = copied.value;
  const blob = await readBlob(blobId, signal);
  return blob === null ? null : new File([blob], name, { type });
}
