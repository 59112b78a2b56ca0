import { copyFile, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unlessMissing } from "../../core/base/error-code.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject } from "../../core/base/json.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { backUp, type BackupFacts } from "./backup.ts";
import { dataDirectoryAt } from "./data-directory.ts";
import { isStored } from "./is-stored.ts";

/** What was found when a backup was restored on trial. */
export interface Drill extends Omit<BackupFacts, "createdAt"> {
  /** How long it took. */
  readonly ms: number;
  /** What differs from what the backup says of itself, each a name and two numbers; null: it says nothing. */
  readonly differs: readonly string[] | null;
}

const counted = ["conversations", "messages", "blocks", "blobs"] as const;

/**
 * Restores a backup on trial: copies it to a temporary folder, checks every page, opens it with this release, reads everything
 * and hashes every image and file that a message names, and compares with what the backup says. The copy is removed.
 */
export async function drillBackup(folder: string, now: () => number): Promise<Result<Drill, Refusal>> {
  const data = dataDirectoryAt(folder);
  const stored = isStored(data.database, data);
  if (!stored.ok) return stored;
  if (!stored.value) {
    return err(refusal("NOT_FOUND", { path: data.root }, `${data.root} is no backup: it has no database.`));
  }
  const file = join(data.root, "backup.json");
  const told = await readFile(file, "utf8")
    .catch(unlessMissing)
    .then(ok, (problem: unknown) => err(reasonOf(problem)));
  if (!told.ok) {
    const { error: reason } = told;
    return err(refusal("STORE_FAILED", { path: file, reason }, `${file} cannot be read (${reason}).`));
  }
  const place = await mkdtemp(join(tmpdir(), "heddle-drill-"));
  const startedMs = performance.now();
  try {
    const hasLog = (await stat(`${data.database}-wal`).catch(unlessMissing)) !== undefined;
    // A backup has no log; opening its database, even for reading, would leave one there.
    const copyDatabase = (file: string): Promise<void> => copyFile(data.database, file);
    const restored = await backUp({ data, ...(hasLog ? {} : { copyDatabase }) }, join(place, "restored"), now);
    if (!restored.ok) {
      const { message } = restored.error;
      return err(refusal("STORE_FAILED", { path: data.root }, `${data.root} cannot be restored. ${message}`));
    }
    const { folder: _folder, createdAt: _createdAt, ...facts } = restored.value;
    const ms = Math.round(performance.now() - startedMs);
    return ok({ ...facts, ms, differs: told.value === undefined ? null : differences(told.value, facts) });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function differences(told: string, facts: Omit<BackupFacts, "createdAt">): readonly string[] {
  const said = parsed(told);
  if (said === null) return ["backup.json: unreadable"];
  return counted.flatMap((name) => {
    const before = said[name];
    return before === facts[name] ? [] : [`${name}: ${String(before)} when it was made, ${facts[name]} now`];
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
