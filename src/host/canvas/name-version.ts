import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, DraftId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { NamedRevision } from "../../core/block/canvas-revision.ts";
import { parseRevisionId } from "../../core/block/revision.ts";
import { versionNames, withVersionName } from "../../core/block/version-names.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { DraftRevisionQuery, Store, StoreWrite } from "../../core/port/store.ts";
import { revisionsPageMax } from "../../core/protocol/base/limits.ts";
import type { BlockEditor } from "../document/block-editor.ts";
import type { BlockReader } from "../document/block-reader.ts";
import type { Author } from "../document/record/types.ts";
import { canvasRevisions } from "./canvas-revisions.ts";
import { revisionWrite } from "./revision-write.ts";

interface NamingPorts {
  readonly hub: {
    readonly reader: Pick<BlockReader, "read" | "readAt">;
    readonly editor: Pick<BlockEditor, "editWith" | "update">;
  };
  readonly store: Store;
  readonly platform: Pick<Platform, "clock">;
}

/** The revision that has the name, or had it. */
interface Named {
  readonly revisionId: string;
}

/**
 * Gives a committed revision of a canvas a name, or commits the text as it is now under one. The names are in the canvas's
 * metadata; the text is a revision, which outlives the history of edits.
 */
export async function nameVersion(
  { hub, store, platform: { clock } }: NamingPorts,
  author: Author,
  {
    canvasId,
    revisionId,
    name,
  }: { readonly canvasId: BlockId; readonly revisionId: string | null; readonly name: string },
  remember: (answer: Named) => readonly StoreWrite[],
): Promise<Result<Named, Refusal>> {
  const now = await hub.reader.read(canvasId);
  if (!now.ok) return now;
  if (now.value.header.policy === undefined) return err(refusal("CANVAS_UNAVAILABLE", { canvas_id: canvasId }));
  const commit = revisionId === null ? await revisionWrite({ reader: hub.reader, store, clock }, canvasId, null) : [];
  const committed = commit.flatMap((write) => (write.type === "put-revision" ? [write.revision.revisionId] : []))[0];
  const found = committed ?? (await committedId(store, canvasId, revisionId));
  if (found === null) return err(noSuchVersion(canvasId, revisionId));
  const answer = { revisionId: found };
  const done = await hub.editor.update(
    author,
    canvasId,
    (header) => ({ metadata: withVersionName(header, found, name) }),
    // What changes is not the text that an agent holds.
    { also: () => [...commit, ...remember(answer)], ignoresLease: true },
  );
  return done.ok ? ok(answer) : done;
}

/** Returns the id if it is that of a committed revision; for null, the id of the last one. */
async function committedId(
  store: Pick<Store, "revisions">,
  canvasId: BlockId,
  id: string | null,
): Promise<string | null> {
  const version = id === null ? null : parseRevisionId(id)?.version;
  if (version === undefined) return null;
  const beforeVersion = version === null ? null : version + 1;
  const [last] = await store.revisions({ canvasId, beforeVersion, limit: 1 });
  return last !== undefined && (id === null || last.revisionId === id) ? last.revisionId : null;
}

function noSuchVersion(canvasId: BlockId, id: string | null): Refusal {
  const words =
    id === null
      ? "The canvas has no text yet, so there is no version to name. Nothing was changed."
      : "Only a committed version can have a name, and this is none. Nothing was changed. List the canvas's revisions to see their ids, or name the text as it is now.";
  return refusal("VERSION_UNKNOWN", { canvas_id: canvasId, revision_id: id }, words);
}

/** Returns a page of a canvas's committed revisions with their names, newest first; with `named`, of those that have one. */
export async function namedRevisions(
  ports: Pick<NamingPorts, "hub" | "store">,
  wish: {
    readonly canvasId: BlockId;
    readonly beforeVersion?: number;
    readonly limit?: number;
    readonly named?: boolean;
    readonly draftId?: DraftId;
  },
): Promise<Result<{ readonly revisions: readonly NamedRevision[]; readonly more: boolean }, Refusal>> {
  const { named = false, limit = revisionsPageMax, beforeVersion = Infinity, canvasId, draftId } = wish;
  const now = await ports.hub.reader.read(canvasId);
  if (!now.ok) return now;
  if (draftId !== undefined) return ok(named ? noRevisions : await revisionsOfDraft(ports.store, { ...wish, draftId }));
  const names = versionNames(now.value.header);
  const withName = (revision: Omit<NamedRevision, "name">): NamedRevision => ({
    ...revision,
    name: names.get(revision.revisionId) ?? null,
  });
  if (!named) {
    const { revisions, more } = await canvasRevisions(ports, wish);
    return ok({ revisions: revisions.map(withName), more });
  }
  const versions = [...names.keys()]
    .flatMap((id) => parseRevisionId(id)?.version ?? [])
    .filter((version) => version < beforeVersion)
    .toSorted((a, b) => b - a);
  const found = await Promise.all(
    versions
      .slice(0, limit)
      .map((version) => ports.store.revisions({ canvasId, beforeVersion: version + 1, limit: 1 })),
  );
  const revisions = found.flat().map(withName);
  return ok({ revisions: revisions.filter(({ name }) => name !== null), more: versions.length > limit });
}

/** People name the text that everybody shares, not a draft's. */
const noRevisions = { revisions: [], more: false } as const;

/** Returns a page of the kept texts of a draft; `beforeVersion` is a version of the draft. */
async function revisionsOfDraft(
  store: Pick<Store, "draftRevisions">,
  wish: Omit<DraftRevisionQuery, "beforeVersion" | "limit"> & Partial<DraftRevisionQuery>,
): Promise<{ readonly revisions: readonly NamedRevision[]; readonly more: boolean }> {
  const { canvasId, draftId, beforeVersion = null, limit = revisionsPageMax } = wish;
  const found = await store.draftRevisions({ canvasId, draftId, beforeVersion, limit: limit + 1 });
  return {
    revisions: found.slice(0, limit).map((revision) => ({ ...revision, name: null })),
    more: found.length > limit,
  };
}
