import { must } from "../../core/base/assert.ts";
import type { DatabaseDriver } from "./shared/database-driver.ts";
import { postgresDriver } from "./postgres/driver.ts";

/**
 * Drivers of every database that an address can name. Without an address, the store is an SQLite file in the data folder.
 */
export const databaseDrivers: readonly DatabaseDriver[] = [postgresDriver];

/** Whether the address has a driver's scheme. */
export function isDatabaseAddress(url: string): boolean {
  return findDriver(url) !== undefined;
}

/** Returns the driver of a database address. */
export function driverAt(url: string): DatabaseDriver {
  return must(findDriver(url), "a database address has the scheme of a driver");
}

function findDriver(url: string): DatabaseDriver | undefined {
  const scheme = URL.parse(url)?.protocol.slice(0, -1);
  return databaseDrivers.find(({ schemes }) => schemes.some((each) => each === scheme));
}
