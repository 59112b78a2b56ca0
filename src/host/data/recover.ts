import { constants, copyFileSync, existsSync, rmSync } from "node:fs";
import { copyFile, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  applyLog,
  NothingReadableError,
  recoverDatabase,
  type RecoveredDatabase,
} from "../../adapters/storage/sqlite/recover-database.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { unlessMissing } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { makeFolders } from "../base/make-folders.ts";
import { copyBlobs, makePart, readBack, sync, type Backup } from "./backup.ts";
import { dataDirectoryAt, type DataDirectory } from "./data-directory.ts";

/** A new data folder with what could be saved, and what could not. */
export interface Recovered extends RecoveredDatabase, Backup {}

/**
 * Saves what can be read of a damaged data folder in a new one. The damaged folder is only read. Nothing else may use it
 * meanwhile. The new folder gets its name once it was opened and read as a server would.
 */
export async function recoverData(
  data: DataDirectory,
  folder: string,
  now: () => number,
): Promise<Result<Recovered, Refusal>> {
  let part: string | null = null;
  try {
    if ((await readdir(folder).catch(unlessMissing))?.length !== undefined) {
      return err(refusal("CONFLICT", { path: folder }, `${folder} already exists. Name a new folder.`));
    }
    part = await makePart(folder);
    const target = dataDirectoryAt(part);
    makeFolders(target.blobs);
    const database = saveDatabase(data, target);
    await copyBlobs(data.blobs, target.blobs, now);
    for (const file of [data.models, data.mcp, data.agents]) {
      await copyFile(file, join(part, basename(file))).catch(unlessMissing);
    }
    const facts = await readBack(target, now);
    for (const path of [target.database, part]) await sync(path);
    await rename(part, folder);
    await sync(dirname(folder));
    return ok({ ...database, ...facts, folder });
  } catch (problem) {
    const reason = reasonOf(problem);
    const next =
      problem instanceof NothingReadableError
        ? "Nothing of the database can be read. Start from a backup"
        : "Nothing was recovered";
    return err(
      refusal("STORE_FAILED", { path: folder, reason }, `${next}: ${reason} The damaged folder is as it was.`),
    );
  } finally {
    if (part !== null) await rm(part, { recursive: true, force: true });
  }
}

/** Works on a copy of the database and its log. */
function saveDatabase(data: DataDirectory, target: DataDirectory): RecoveredDatabase {
  const [copy, log] = [join(target.root, "damaged.db"), `${data.database}-wal`];
  if (existsSync(data.database)) copyFileSync(data.database, copy, constants.COPYFILE_EXCL);
  const damagedLogPages = existsSync(log) ? applyLog(copy, log) : 0;
  const saved = recoverDatabase(copy, target.database);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${copy}${suffix}`, { force: true });
  return { ...saved, damagedLogPages };
}
