import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { Store } from "../../../core/port/store.ts";

/** How a database is used while it is open. */
interface DatabaseUse {
  /** Reads beside the server that writes, and refuses commits. */
  readonly readOnly: boolean;
  /** The database can no longer be written: requests under way have no answer, and the process should end. */
  readonly onLost: (problem: Error) => void;
  /** A row of a list cannot be read; the others are listed without it. */
  readonly onDamaged: (problem: string) => void;
}

/** What `heddle doctor` says about a database. */
interface DatabaseReport {
  /** Product, version and state, as in "PostgreSQL 17, schema 3". */
  readonly found: string;
  /** What a person should do about it; null where all is well. */
  readonly next: string | null;
}

/** A database that a person names by its address, with `--store`. */
export interface DatabaseDriver {
  /** The schemes of its addresses, without the colon. */
  readonly schemes: NonEmptyArray<string>;
  /** How to make a backup, as a sentence: Heddle copies only its own database. */
  readonly backup: string;
  /** The address as people may see it: without a password. */
  shownAddress(url: string): string;
  /** Rejects with StoreOpenError where the database cannot be used. */
  open(url: string, use: DatabaseUse): Promise<Store>;
  /** Looks at the database and changes nothing. Rejects where it cannot be used. */
  inspect(url: string): Promise<DatabaseReport>;
}
