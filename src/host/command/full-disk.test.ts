import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test, expect } from "vitest";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { ActorId } from "../../core/base/ids.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { createDispatch } from "./dispatch.ts";

test("19.13 a file that is opened while the disk is full is refused with STORE_FULL, and opens when there is space", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-full-disk-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a.md"), "one\n");
  let isFull = false;
  const logged: string[] = [];
  const error = (event: string): void => void logged.push(event);
  const platform = { ...systemPlatform(), logger: { info() {}, warn() {}, error } };
  const workspace = await openWorkspace({
    store: openMemoryStore(undefined, { fault: () => (isFull ? "STORE_FULL" : null) }),
    catalogue: { list: () => [], find: () => undefined },
    platform,
    cwd: tmpdir(),
    welcome: false,
    files: await openFolderTree(folder, platform.clock),
  });
  onTestFinished(() => workspace.close());
  const actor = { type: "person" as const, id: "person-ada" as ActorId, name: "Ada" };
  const caller = { actor, clientId: "page", replica: await workspace.replicas.forClient("page", actor) };
  const open = () => createDispatch(workspace)({ caller, name: "file.open", params: { path: "a.md" } });

  isFull = true;
  expect(await open()).toMatchObject({ ok: false, error: { code: "STORE_FULL" } });
  isFull = false;
  expect(await open()).toMatchObject({ ok: true });
  expect(logged).toEqual([]);
});
