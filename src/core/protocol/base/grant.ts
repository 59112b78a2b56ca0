import type { BlockId, FolderId, RootId } from "../../base/ids.ts";
import type { Right } from "../../rights/token-right.ts";

/** The objects that a scoped token reaches; a list that is empty adds none. */
export interface GrantScope {
  readonly folderIds: readonly FolderId[];
  /** Conversations, with the canvas that each has. */
  readonly rootIds: readonly RootId[];
  readonly canvasIds: readonly BlockId[];
}

/** What the holder of a scoped token may do. */
export interface Grant {
  readonly id: string;
  /** The name that a person gave the token; shown beside everything its holder does. */
  readonly name: string;
  readonly rights: readonly Right[];
  /** null: the whole workspace. */
  readonly scope: GrantScope | null;
}
