import type { Refusal } from "../../core/base/errors.ts";
import type { Result } from "../../core/base/result.ts";
import type { BlobRef } from "../../core/port/blobs.ts";
import type { Asking } from "../access/member.ts";
import type { BlobKeeper } from "./blob-keeper.ts";

/** Stores bytes for somebody, who may attach them for a day. */
export async function keepUpload(
  blobs: Pick<BlobKeeper, "put" | "uses">,
  { member }: Asking,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<Result<BlobRef, Refusal>> {
  const put = await blobs.put(content);
  const known = put.ok && member ? await blobs.uses?.uploaded(put.value.id, member.id) : undefined;
  return known?.ok === false ? known : put;
}
