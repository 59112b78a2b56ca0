import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../src/adapters/storage/sqlite/open-database.ts";
import { read } from "../../src/adapters/storage/sqlite/reads.ts";
import { Statements } from "../../src/adapters/storage/row/sql.ts";
import { blockId, rootId } from "../../src/testing/store/records.ts";
import { scaled, torture } from "../scale.ts";
import type { Fate } from "./disk.ts";
import { replay } from "./replay.ts";
import { traceScript } from "./trace.ts";
import { writers, type Writer } from "./writers.ts";

/** Enough for the write-ahead log to be checkpointed and restarted several times. */
const commitsOfEach = 200;
const imageCount = scaled(25, 1_000);
const imagesOfOthers = scaled(10, 300);
const seed = 20_261_120;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-power-cut-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Verdict {
  readonly fate: Fate;
  /** Why the image is damaged; null: it is intact. */
  readonly broken: string | null;
  /** Acknowledged commits that are missing. */
  readonly lost: number;
}

async function verdicts(synchronous: "FULL" | "NORMAL" | "OFF"): Promise<readonly Verdict[]> {
  const data = join(folder, synchronous, "data");
  mkdirSync(data, { recursive: true });
  const said = "PRAGMA synchronous = FULL";
  const patch = ["/open-database.ts", said, said.replace("FULL", synchronous)] as const;
  const script = ["write-commits.ts", join(data, "heddle.db"), String(commitsOfEach)] as const;
  const events = await traceScript(data, script, synchronous === "FULL" ? null : patch);
  const printed = events.filter(({ type }) => type === "printed");
  expect(printed).toHaveLength(writers.length * commitsOfEach);
  // Otherwise the trace covers less than this test is about.
  const copiedBack = events.filter((event) => event.type === "written" && event.path === join(data, "heddle.db"));
  expect(copiedBack.length).toBeGreaterThan(100);
  const acknowledged = new Map<string, number>();
  return replay(
    { events, data, imageCount: synchronous === "FULL" ? imageCount : imagesOfOthers, seed },
    {
      acknowledge(line) {
        const [writer = "", version] = line.split(" ");
        acknowledged.set(writer, Number(version));
      },
      look: (image, fate) => ({ fate, ...look(join(image, "heddle.db"), acknowledged) }),
    },
  );
}

/** Opens an image as Heddle opens its data after a power cut. */
function look(file: string, acknowledged: ReadonlyMap<string, number>): Omit<Verdict, "fate"> {
  let database: DatabaseSync | null = null;
  try {
    database = openDatabase(file);
    const statements = new Statements(database);
    expect(statements.all("PRAGMA integrity_check", [])).toEqual([["ok"]]);
    expect(statements.all("PRAGMA foreign_key_check", [])).toEqual([]);
    statements.run("INSERT INTO message_index (message_index) VALUES ('integrity-check')", []);
    let lost = 0;
    for (const writer of writers) lost += Math.max(0, (acknowledged.get(writer) ?? 0) - versionOf(statements, writer));
    return { broken: null, lost };
  } catch (error) {
    return { broken: String(error), lost: 0 };
  } finally {
    database?.close();
  }
}

/** The version up to which both blocks of a writer, its messages and their words are complete. */
function versionOf(statements: Statements, writer: Writer): number {
  const [version = 0, ...others] = [`${writer}-left`, `${writer}-right`].map((name) => {
    const stored = statements.number("SELECT version FROM blocks WHERE id = ?1", [blockId(name)]) ?? 0;
    const changes = read(statements, "changes", [blockId(name), 0]);
    expect(changes.map(([, , each]) => each)).toEqual(Array.from({ length: stored }, (_, index) => index + 1));
    return stored;
  });
  const [messages = null] = read(statements, "outline", [rootId(writer)])[0] ?? [];
  const words = read(statements, "searchMessages", [`hello ${writer}`, rootId(writer), 10_000]).length;
  expect([...others, messages, words]).toEqual([version, version, version]);
  return version;
}

describe("a power cut while the store commits", () => {
  const timeout = 120_000 * Math.max(1, torture);

  test(
    "loses no acknowledged commit, damages nothing and leaves no partial commit",
    async () => {
      const found = await verdicts("FULL");
      expect(found).toHaveLength(imageCount);
      expect(found.filter(({ broken, lost }) => broken !== null || lost > 0)).toEqual([]);
      console.log(summary("FULL", found));
    },
    timeout,
  );

  test(
    "is detected when the store does not sync each commit: acknowledged commits are missing, the rest is intact",
    async () => {
      const found = await verdicts("NORMAL");
      console.log(summary("NORMAL", found));
      expect(found.filter(({ lost }) => lost > 0).length).toBeGreaterThan(imagesOfOthers / 10);
      expect(found.filter(({ broken }) => broken !== null)).toEqual([]);
    },
    timeout,
  );

  test(
    "is detected when the store never syncs: images are damaged",
    async () => {
      const found = await verdicts("OFF");
      console.log(summary("OFF", found));
      expect(found.filter(({ broken }) => broken !== null).length).toBeGreaterThan(imagesOfOthers / 20);
    },
    timeout,
  );
});

function summary(synchronous: string, found: readonly Verdict[]): string {
  const broken = found.filter((verdict) => verdict.broken !== null).length;
  const losing = found.filter(({ lost }) => lost > 0);
  const worst = Math.max(0, ...losing.map(({ lost }) => lost));
  return `synchronous=${synchronous}: ${found.length} images, ${broken} broken, ${losing.length} with losses, at worst ${worst} commits`;
}
