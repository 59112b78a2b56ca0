import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestServer } from "../../src/testing/test-server.ts";

// The attacked server: a process of its own, on SQLite.

const folder = mkdtempSync(join(tmpdir(), "heddle-attack-"));
process.env["TMPDIR"] = folder;
const [appFolder] = process.argv.slice(2);
const server = await startTestServer({ store: "sqlite", ...(appFolder === undefined ? {} : { appFolder }) });
process.on("disconnect", () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
process.send?.({ port: server.port, token: server.token });
