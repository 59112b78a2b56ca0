import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createDataDirectory,
  dataDirectoryAt,
  platformConfigurationFolder,
  platformDataFolder,
} from "./data-directory.ts";

describe("the platform's folders", () => {
  const windows = "C:\\Users\\ada";
  test.each([
    ["linux", "/home/ada", {}, "/home/ada/.local/share/heddle", "/home/ada/.config/heddle"],
    ["linux", "/home/ada", { XDG_DATA_HOME: "/d", XDG_CONFIG_HOME: "/c" }, "/d/heddle", "/c/heddle"],
    [
      "freebsd",
      "/home/ada",
      { XDG_DATA_HOME: "d", XDG_CONFIG_HOME: "" },
      "/home/ada/.local/share/heddle",
      "/home/ada/.config/heddle",
    ],
    [
      "darwin",
      "/Users/ada",
      { XDG_DATA_HOME: "/d" },
      "/Users/ada/Library/Application Support/heddle",
      "/Users/ada/Library/Application Support/heddle",
    ],
    ["win32", windows, { LOCALAPPDATA: "D:\\L", APPDATA: "D:\\R" }, "D:\\L\\heddle", "D:\\R\\heddle"],
    ["win32", windows, {}, `${windows}\\AppData\\Local\\heddle`, `${windows}\\AppData\\Roaming\\heddle`],
  ])("on %s for %s with %j", (platform, home, env, data, configuration) => {
    expect(platformDataFolder({ platform, home, env })).toBe(data);
    expect(platformConfigurationFolder({ platform, home, env })).toBe(configuration);
  });
});

describe("the data folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "heddle-data-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test("is created with its subfolders, for its owner alone, and may be created again", () => {
    const directory = dataDirectoryAt(join(folder, "deep", "data"));
    expect(createDataDirectory(directory)).toEqual({ ok: true, value: directory });
    expect(createDataDirectory(directory).ok).toBe(true);
    for (const made of [directory.root, directory.blobs, directory.backups, directory.logs]) {
      expect(statSync(made).mode & 0o777).toBe(0o700);
    }
    expect(directory.database).toBe(join(folder, "deep", "data", "heddle.db"));
  });

  // In a process of its own: a failure here never returns.
  test.runIf(process.platform === "linux")(
    "is refused where no folder can be created, whatever error the system gives",
    () => {
      const script = `import { createDataDirectory, dataDirectoryAt } from "./data-directory.ts";
      console.log(createDataDirectory(dataDirectoryAt("/proc/heddle/data")).error?.code);`;
      const said = execFileSync(process.execPath, ["--input-type=module-typescript", "--eval", script], {
        cwd: import.meta.dirname,
        encoding: "utf8",
        timeout: 30_000,
        killSignal: "SIGKILL",
      });
      expect(said).toBe("STORE_FAILED\n");
    },
  );

  test("keeps the mode that its owner gave it", () => {
    chmodSync(folder, 0o750);
    expect(createDataDirectory(dataDirectoryAt(folder)).ok).toBe(true);
    expect(statSync(folder).mode & 0o777).toBe(0o750);
  });

  test("is refused with its path when it cannot be created", () => {
    writeFileSync(join(folder, "file"), "");
    const result = createDataDirectory(dataDirectoryAt(join(folder, "file")));
    expect(result).toMatchObject({
      ok: false,
      error: { code: "STORE_FAILED", details: { path: join(folder, "file") } },
    });
  });
});
