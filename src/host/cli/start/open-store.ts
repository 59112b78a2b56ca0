import { driverAt } from "../../../adapters/storage/database-drivers.ts";
import { openSqliteStore } from "../../../adapters/storage/sqlite/open-sqlite-store.ts";
import { StoreOpenError } from "../../../adapters/storage/shared/store-error.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Store } from "../../../core/port/store.ts";
import type { Configuration } from "../../data/configuration.ts";
import type { DataDirectory } from "../../data/data-directory.ts";

/** How a store is used: receivers of its events, and whether it is only read. */
export interface StoreUse {
  readonly onLost: () => void;
  readonly onDamaged: (problem: string) => void;
  /** A PostgreSQL database is read beside the server that writes it; an SQLite file is never shared. */
  readonly readOnly?: boolean;
}

/** Returns where everything durable is, for display: without a password. */
export function shownStore(configuration: Configuration, data: DataDirectory): string {
  return configuration.store === undefined
    ? data.database
    : driverAt(configuration.store).shownAddress(configuration.store);
}

export function hasPassword(url: string | undefined): boolean {
  return url !== undefined && URL.canParse(url) && new URL(url).password !== "";
}

/** Opens the configured store: a database by its address, or the SQLite file in the data folder. */
export async function openStore(
  configuration: Configuration,
  data: DataDirectory,
  { readOnly = false, ...listener }: StoreUse,
): Promise<Result<Store, Refusal>> {
  return openedOr(shownStore(configuration, data), () =>
    configuration.store === undefined
      ? openSqliteStore({ file: data.database, ...listener })
      : driverAt(configuration.store).open(configuration.store, { readOnly, ...listener }),
  );
}

/** Opens something of a database, or says why it cannot be used; `shown`: the address without a password. */
export async function openedOr<Opened>(shown: string, open: () => Promise<Opened>): Promise<Result<Opened, Refusal>> {
  try {
    return ok(await open());
  } catch (problem) {
    if (!(problem instanceof StoreOpenError)) throw problem;
    if (problem.code === "STORE_IN_USE") return err(refusal("DATA_IN_USE", { path: shown }, problem.message));
    const message = `The database ${shown} cannot be opened: ${problem.message}`;
    return err(refusal("STORE_FAILED", { reason: problem.code }, message));
  }
}
