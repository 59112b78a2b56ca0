import type { RowRefusal, Row } from "../row/sql.ts";
import type { ReadName } from "./reads.ts";
import type { RowWrite } from "./row-write.ts";

/** The task of a storage thread: writing, or slow reads. */
export interface StorageTask {
  readonly file: string;
  readonly writes: boolean;
}

/** A request to the storage thread. Requests are answered in order; commits of one batch share one fsync. */
export type StorageRequest =
  | { readonly type: "commit"; readonly id: number; readonly writes: readonly RowWrite[] }
  | { readonly type: "read"; readonly id: number; readonly query: ReadName; readonly values: Row }
  | { readonly type: "close"; readonly id: number };

export type CommitRequest = Extract<StorageRequest, { readonly type: "commit" }>;

/** A refusal of one write, or of the whole commit by the disk (`index` is then the number of writes). */
export type CommitRefusal = (RowRefusal | DiskRefusal) & { readonly index: number };

export interface DiskRefusal {
  readonly code: "STORE_FULL" | "STORE_FAILED";
  readonly reason: string;
}

export type StorageAnswer =
  | { readonly type: "committed"; readonly id: number }
  | { readonly type: "refused"; readonly id: number; readonly refusal: CommitRefusal }
  | { readonly type: "rows"; readonly id: number; readonly rows: readonly Row[] }
  /** The first rows of a long answer; the others follow. */
  | { readonly type: "first-rows"; readonly id: number; readonly rows: readonly Row[] }
  /** The caller broke a rule, or a read failed; nothing was changed. */
  | { readonly type: "faulted"; readonly id: number; readonly message: string }
  | { readonly type: "closed"; readonly id: number };

export type StorageMessage =
  | { readonly type: "opened"; readonly damage: readonly string[] }
  | { readonly type: "not-opened"; readonly code: string; readonly message: string }
  | { readonly type: "answers"; readonly answers: readonly StorageAnswer[] }
  /** Something in the file is damaged; requests are not affected. */
  | { readonly type: "damaged"; readonly problem: string };
