import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { Api } from "../e2e/api.ts";
import { fillWorkspace, readSaid } from "./fill.ts";
import { startGoldenServer } from "./golden-server.ts";

// node test/golden/make.ts NAME: fills a workspace with the current version and keeps it as test/golden/NAME, for tests
// of later versions. Run it once for each release with a new schema; a kept folder never changes.

const name = process.argv[2];
if (name === undefined || !/^[0-9a-z.-]+$/.test(name)) throw new Error("usage: node test/golden/make.ts NAME");

const scratch = "/tmp/heddle-golden";
const golden = join(import.meta.dirname, name);
await rm(scratch, { recursive: true, force: true });
await mkdir(join(scratch, "files"), { recursive: true });
await mkdir(golden, { recursive: true });
await writeFile(join(scratch, "files/notes.md"), "# Notes\n\nFrom a file.\n");

const data = join(scratch, "data");
// Also fills PostgreSQL, if HEDDLE_DATABASE_URL names a database whose schema is called `golden`.
const databaseUrl = process.env["HEDDLE_DATABASE_URL"];
const server = await startGoldenServer({ data, files: join(scratch, "files"), ...(databaseUrl && { databaseUrl }) });
const api = new Api(server);
const said = await readSaid(api, await fillWorkspace(api, (bytes) => server.upload(bytes)));
await server.kill();

if (databaseUrl !== undefined) {
  const dump = execFileSync("pg_dump", ["--inserts", "--no-owner", "--schema=golden", databaseUrl.replace(/\?.*/, "")]);
  const sql = dump
    .toString("utf8")
    .replaceAll(/^(?:SET|SELECT pg_catalog\.set_config|CREATE SCHEMA|--|\\).*\n/gm, "")
    .replaceAll("golden.", "");
  await writeFile(join(golden, "postgres.sql.gz"), gzipSync(sql, { level: 9 }));
  await writeFile(join(golden, "said-postgres.json"), `${JSON.stringify(said, null, 2)}\n`);
  process.exit(0);
}

const database = new DatabaseSync(join(data, "heddle.db"));
database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
database.exec("VACUUM");
database.close();
await writeFile(join(golden, "heddle.db.gz"), gzipSync(await readFile(join(data, "heddle.db")), { level: 9 }));
await cp(join(data, "blobs"), join(golden, "blobs"), { recursive: true });
await writeFile(join(golden, "said.json"), `${JSON.stringify(said, null, 2)}\n`);
console.log(`${Object.keys(said.textById).length} texts, ${Object.keys(said.messageById).length} messages`);
