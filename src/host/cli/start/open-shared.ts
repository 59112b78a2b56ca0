import { readFile } from "node:fs/promises";
import { holdsCredentials } from "../../../adapters/hints/nats-address.ts";
import { openNatsHints } from "../../../adapters/hints/nats-hints.ts";
import { driverAt } from "../../../adapters/storage/database-drivers.ts";
import type { SharedDatabase } from "../../../adapters/storage/shared/database-driver.ts";
import { errorCodeOf } from "../../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { reasonOf } from "../../../core/base/reason.ts";
import { err, type Result } from "../../../core/base/result.ts";
import type { NodeMeters } from "../../../core/port/node-meters.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { ClusterSettings } from "../../data/cluster-settings.ts";
import type { Configuration } from "../../data/configuration.ts";
import { openedOr } from "./open-store.ts";

interface SharedPlace {
  readonly configuration: Configuration;
  readonly cluster: ClusterSettings;
  readonly platform: Platform;
}

/** A server that is away is waited for; a file that is not there is a mistake. */
export async function natsRefusal({ nats }: ClusterSettings): Promise<Refusal | null> {
  if (nats?.credentials.type !== "file") return null;
  const { path } = nats.credentials;
  try {
    if (holdsCredentials(await readFile(path, "utf8"))) return null;
    return refusal("INVALID_PARAMS", { path }, `${path} is no file of NATS credentials: it needs a JWT and a seed.`);
  } catch (problem) {
    const reason = errorCodeOf(problem) ?? reasonOf(problem);
    const message = `The NATS credentials in ${path} could not be read (${reason}). Correct --nats-credentials.`;
    return refusal("INVALID_PARAMS", { path, reason }, message);
  }
}

/** Opens the database that nodes share; refused where its kind cannot be shared. */
export async function openDatabase(
  { configuration: { store }, cluster: { ttlMs, nats }, platform }: SharedPlace,
  meters: NodeMeters,
): Promise<Result<SharedDatabase, Refusal>> {
  const url = store ?? "";
  const driver = driverAt(url);
  const shown = driver.shownAddress(url);
  const hints =
    nats === undefined ? {} : { hints: (secret: Uint8Array) => openNatsHints({ ...platform, secret, place: nats }) };
  const opening = driver.openShared?.(url, { ttlMs, meters, ...hints });
  if (opening !== undefined) return openedOr(shown, () => opening);
  const message = `Several nodes cannot share ${shown}. Use PostgreSQL, or leave --node-address out.`;
  return err(refusal("INVALID_PARAMS", {}, message));
}
