import type { Refusal } from "../../../src/core/base/errors.ts";
import { err, ok, type Result } from "../../../src/core/base/result.ts";
import { refusalIn } from "./refusal-in.ts";
import { authorisation } from "./session.ts";

/** The server's record of an upload. */
export interface Uploaded {
  readonly id: string;
  readonly mediaType: string;
}

/** Uploads an image or a file; the server determines its type. */
export async function uploadBlob(file: Blob, signal?: AbortSignal): Promise<Result<Uploaded, string | Refusal>> {
  try {
    const response = await fetch("/api/blobs", {
      method: "POST",
      headers: authorisation(),
      body: file,
      ...(signal === undefined ? {} : { signal }),
    });
    const answer: unknown = await response.json();
    if (isUploaded(answer)) return ok(answer);
    return err(refusalIn(answer) ?? "The server did not accept the file.");
  } catch {
    return err("The file could not be uploaded. Check the connection and try again.");
  }
}

/** Fetches the bytes of a blob; null when they are not available. */
export async function readBlob(id: string, signal: AbortSignal): Promise<Blob | null> {
  try {
    const response = await fetch(`/api/blobs/${id}`, { headers: authorisation(), signal });
    return response.ok ? await response.blob() : null;
  } catch {
    return null;
  }
}

function isUploaded(answer: unknown): answer is Uploaded {
  return (
    typeof answer === "object" &&
    answer !== null &&
    "id" in answer &&
    typeof answer.id === "string" &&
    "mediaType" in answer &&
    typeof answer.mediaType === "string"
  );
}
