import { isJsonObject } from "../../../core/base/json.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ReachedServer } from "./reach-server.ts";

/** Stores bytes as a blob. */
export async function uploadBlob(
  { url, token }: Pick<ReachedServer, "url" | "token">,
  bytes: Uint8Array,
): Promise<Result<string, Refusal>> {
  const answer = await fetch(new URL("/api/blobs", url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" },
    body: new Uint8Array(bytes),
  }).catch(() => null);
  const body: unknown = await answer?.json().catch(() => null);
  if (!isJsonObject(body))
    return err(refusal("NOT_FOUND", { url }, "The server is away; nothing was sent. Try again."));
  const { id, error } = body;
  if (typeof id === "string") return ok(id);
  const code = isJsonObject(error) ? error["code"] : body["code"];
  return err(refusal(code === "BLOB_TOO_LARGE" ? "BLOB_TOO_LARGE" : "MEDIA_TYPE_REFUSED", {}));
}
