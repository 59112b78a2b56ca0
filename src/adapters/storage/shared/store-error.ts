/** Why a store cannot be opened. */
export type StoreOpenCode =
  | "SCHEMA_TOO_NEW"
  | "SQLITE_TOO_OLD"
  | "SERVER_TOO_OLD"
  | "NOT_HEDDLE"
  /** Another Heddle process uses the database. */
  | "STORE_IN_USE"
  | "STORE_FAILED";

/** Thrown when a store cannot be opened. `code` names the cause; `message` says what to do. */
export class StoreOpenError extends Error {
  override readonly name = "StoreOpenError";
  readonly code: StoreOpenCode;

  constructor(code: StoreOpenCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The store was lost while in use: open requests get no answer, and the process should exit. */
export class StoreCrashedError extends Error {
  override readonly name = "StoreCrashedError";
}

/** The store was closed before the request. */
export class StoreClosedError extends Error {
  override readonly name = "StoreClosedError";
}

/** A write that broke the store's rules (its commit changed nothing), or a read that failed. */
export class StoreFaultError extends Error {
  override readonly name = "StoreFaultError";
}

/** The database could not be reached for a read; a retry may succeed. */
export class StoreAwayError extends Error {
  override readonly name = "StoreAwayError";
}
