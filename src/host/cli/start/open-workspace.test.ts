import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFromLine } from "./start-from-line.ts";
import type { Terminal } from "../base/terminal.ts";

test("a server whose blob folder is unusable is refused with the folder's name, and leaves nothing open", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-open-workspace-"));
  const drafts = join(folder, "data", "blobs", "drafts");
  await mkdir(join(drafts, ".."), { recursive: true });
  await writeFile(drafts, "no folder");
  const terminal: Terminal = {
    print: () => {},
    note: () => {},
    input: async () => "",
    env: { XDG_CONFIG_HOME: folder },
    isInteractive: false,
    colours: false,
  };
  const line = { command: "serve", values: { data: join(folder, "data"), port: "0" }, switches: new Set<string>() };
  expect(await startFromLine(line, terminal)).toMatchObject({
    ok: false,
    error: { code: "STORE_FAILED", message: expect.stringContaining(join(folder, "data", "blobs")) },
  });
  await rm(drafts);
  const started = await startFromLine(line, terminal);
  expect(started).toMatchObject({ ok: true, value: { modelProblem: null } });
  if (started.ok) await started.value.stop();
  // A model that cannot be used is reported at the start, not only when a conversation cannot begin.
  const unknown = await startFromLine({ ...line, values: { ...line.values, model: "nobody/x" } }, terminal);
  expect(unknown).toMatchObject({
    ok: true,
    value: {
      modelProblem: expect.stringMatching(/^New conversations cannot begin with nobody\/x yet\. There is no provider/),
    },
  });
  if (unknown.ok) await unknown.value.stop();
  await rm(folder, { recursive: true });
});
