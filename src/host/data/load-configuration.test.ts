import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { configurationPath, loadConfiguration } from "./load-configuration.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "heddle-home-"));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

describe("the configuration file", () => {
  const user = () => ({ platform: "linux", home, env: { XDG_CONFIG_HOME: join(home, "etc") } });

  test("may be missing", () => {
    expect(loadConfiguration({}, user())).toMatchObject({ ok: true, value: { port: 7420 } });
  });

  test("is read from the user's own folder, whatever the working folder contains", () => {
    mkdirSync(join(home, "etc", "heddle"), { recursive: true });
    writeFileSync(configurationPath(user()), '{"port": 80}');
    expect(configurationPath(user())).toBe(join(home, "etc", "heddle", "config.json"));
    expect(loadConfiguration({}, user())).toMatchObject({ ok: true, value: { port: 80 } });
    expect(loadConfiguration({ port: "81" }, user())).toMatchObject({ ok: true, value: { port: 81 } });
  });

  test("that cannot be read is refused with its path", () => {
    mkdirSync(configurationPath(user()), { recursive: true });
    const refused = { code: "INVALID_PARAMS", details: { file: configurationPath(user()) } };
    expect(loadConfiguration({}, user())).toMatchObject({ ok: false, error: refused });
  });
});
