import type { NodeId, RootId } from "../../../../src/core/base/ids.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import { err, ok, type Result } from "../../../../src/core/base/result.ts";
import { refusalIn } from "../../browser/refusal-in.ts";
import { fileNameOf, saveFile } from "../../browser/save-file.ts";
import { authorisation } from "../../browser/session.ts";

/** A conversation as its menu knows it. */
export interface SavedConversation {
  readonly rootId: RootId;
  readonly title: string;
  /** The last message of the shown branch. */
  readonly lastId: NodeId;
}

/** Returns the shown branch as Markdown, as the server writes it. */
export async function branchText({ lastId }: SavedConversation): Promise<Result<string, Refusal | string>> {
  const read = await exported(`/api/nodes/${encodeURIComponent(lastId)}/export?format=markdown`);
  return read.ok ? ok(await read.value.text()) : read;
}

/** Lets the browser save the shown branch as Markdown, or the whole conversation as JSON with its pictures and files. */
export async function saveConversation(
  saved: SavedConversation,
  what: "branch" | "whole",
): Promise<Result<void, Refusal | string>> {
  const { rootId, lastId, title } = saved;
  const read = await exported(
    what === "branch"
      ? `/api/nodes/${encodeURIComponent(lastId)}/export?format=markdown`
      : `/api/roots/${encodeURIComponent(rootId)}/export?format=json&blobs=true`,
  );
  if (!read.ok) return read;
  saveFile(`${fileNameOf(title, "conversation")}.${what === "branch" ? "md" : "json"}`, read.value);
  return ok(undefined);
}

const unreached = "The conversation did not arrive whole, so nothing was saved. Check the connection and try again.";

async function exported(address: string): Promise<Result<Blob, Refusal | string>> {
  try {
    const response = await fetch(address, { headers: authorisation() });
    if (response.ok) return ok(await response.blob());
    return err(refusalIn(await response.json()) ?? unreached);
  } catch {
    return err(unreached);
  }
}
