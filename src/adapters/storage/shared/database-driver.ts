import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { HintBus } from "../../../core/port/hint-bus.ts";
import type { NodeMeters } from "../../../core/port/node-meters.ts";
import type { ClusterTable } from "../../../core/port/cluster-table.ts";
import type { Store } from "../../../core/port/store.ts";
import type { TablesReader, TablesWriter } from "./table-copy.ts";

/** How an open database is used. */
interface DatabaseUse {
  /** Reads beside the server process that writes, and refuses commits. */
  readonly readOnly: boolean;
  /** The database can no longer be written: open requests get no answer, and the process should exit. */
  readonly onLost: (problem: Error) => void;
  /** A row of a list is unreadable; the list omits it. */
  readonly onDamaged: (problem: string) => void;
}

/** The right of one process of several: an incarnation of a node, and the epoch under which it has the workspace. */
export interface SharedRight {
  readonly incarnation: number;
  readonly epoch: number;
  readonly ttlMs: number;
  /** A transaction of so many commits is about to be sent; what is returned is called once it was made, which renewed the node's row. */
  sending(commits: number): () => void;
}

/** A database that several processes share: the rows of their cluster, and the store that one of them may write. */
export interface SharedDatabase {
  readonly table: ClusterTable;
  /**
   * The store as it is read before this process may write: what is read is older than a commit of whoever may. Null while its
   * connections are those of an open store, and where there are none.
   */
  readEarly(): Store | null;
  /** Opens the store under a right; its connections have been made before. Rejects with StoreOpenError. */
  openStore(use: Omit<DatabaseUse, "readOnly"> & { readonly shared: SharedRight }): Promise<Store>;
  close(): Promise<void>;
}

/** How a process shares a database. */
export interface SharedUse {
  /** How long a process may be silent before another takes over. */
  readonly ttlMs: number;
  readonly meters?: NodeMeters;
  /** Opens the hints of the cluster with this secret; absent: the database's own. */
  readonly hints?: (secret: Uint8Array) => HintBus;
}

/** The report of `heddle doctor` about a database. */
interface DatabaseReport {
  /** Product, version and state, as in "PostgreSQL 17, schema 3". */
  readonly found: string;
  /** What a person should do about the state; null when nothing is wrong. */
  readonly next: string | null;
}

/** A kind of database that `--store` accepts by its address. */
export interface DatabaseDriver {
  /** The schemes of its addresses, without the colon. */
  readonly schemes: NonEmptyArray<string>;
  /** How to make a backup, as a sentence, where Heddle cannot read the tables. */
  readonly backup: string;
  /** The address without its password, for display. */
  shownAddress(url: string): string;
  /** Rejects with StoreOpenError when the database cannot be used. */
  open(url: string, use: DatabaseUse): Promise<Store>;
  /** Opens the database as one of several processes, where it can be shared. Rejects with StoreOpenError. */
  openShared?(url: string, use: SharedUse): Promise<SharedDatabase>;
  /** Reads the tables at one instant; `alone`: while no server uses them. Rejects with StoreOpenError. */
  readTables?(url: string, how: { readonly alone: boolean }): Promise<TablesReader>;
  /** Fills a database without data, or continues to. Rejects with StoreOpenError. */
  fillTables?(url: string): Promise<TablesWriter>;
  /** Inspects the database without changing it. Rejects when it cannot be used. */
  inspect(url: string): Promise<DatabaseReport>;
}
