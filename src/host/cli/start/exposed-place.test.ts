import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exposedPlace, exposedRefusal } from "./exposed-place.ts";
import { startFromLine } from "./start-from-line.ts";

describe("a file or folder of Heddle", () => {
  let base = "";
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), "heddle-exposed-"));
    for (const name of ["work/deep", "work-data", "outside"]) mkdirSync(join(base, name), { recursive: true });
    symlinkSync(join(base, "work", "deep"), join(base, "linked"));
  });
  afterAll(() => rmSync(base, { recursive: true }));

  test.each([
    ["work", true],
    ["work/data", true],
    ["work/deep/not/there/yet", true],
    ["linked/data", true],
    ["work/.heddle", false],
    ["work/.heddle/data", false],
    ["work-data", false],
    ["outside", false],
    ["", false],
  ])("at %j is exposed in the workspace folder: %j", async (path, exposed) => {
    const folder = join(base, path);
    expect(await exposedPlace(join(base, "work"), [join(base, "outside"), folder])).toBe(exposed ? folder : null);
  });

  test.each(["data/blobs", "data/skills/own", "settings/heddle"])(
    "a folder at %j among Heddle's own files is refused",
    async (path) => {
      const folder = join(base, path);
      mkdirSync(folder, { recursive: true });
      const user = { platform: "linux", home: base, env: { XDG_CONFIG_HOME: join(base, "settings") } };
      expect(await exposedRefusal({ workspace: folder, data: join(base, "data") }, user)).toMatchObject({
        code: "INVALID_PARAMS",
        message: expect.stringContaining("where Heddle keeps its own files"),
      });
    },
  );

  test.each([
    ["data", "where agents could read and write the token"],
    ["models", "send a provider's key elsewhere"],
  ])("(%s) in the workspace folder is refused at the start", async (flag, why) => {
    const terminal = {
      print: () => {},
      note: () => {},
      input: async () => "",
      env: { XDG_CONFIG_HOME: join(base, "outside") },
      isInteractive: false,
      colours: false,
    };
    const place = join(base, "work", "own");
    const values = { data: join(base, "outside"), workspace: join(base, "work"), port: "0", [flag]: place };
    const started = await startFromLine({ command: "serve", values, switches: new Set() }, terminal);
    expect(started).toMatchObject({
      ok: false,
      error: { code: "INVALID_PARAMS", details: { place }, message: expect.stringContaining(why) },
    });
  });
});
