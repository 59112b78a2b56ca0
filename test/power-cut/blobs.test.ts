import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { replay } from "./replay.ts";
import { traceScript, type Patch } from "./trace.ts";

const rounds = 8;
const blobsOfRound = 6;
const imageCount = scaled(25, 1_000);
const seed = 20_261_122;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-power-cut-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Verdict {
  /** A blob whose bytes do not match its id. */
  readonly damaged: number;
  /** Acknowledged blobs that are missing. */
  readonly lost: number;
}

async function verdicts(name: string, patch: Patch | null): Promise<readonly Verdict[]> {
  const data = join(folder, name, "data");
  mkdirSync(data, { recursive: true });
  const events = await traceScript(data, ["write-blobs.ts", data, String(rounds)], patch);
  expect(events.filter(({ type }) => type === "printed")).toHaveLength(rounds * blobsOfRound);
  const acknowledged = new Set<string>();
  return replay(
    { events, data, imageCount, seed },
    { acknowledge: (line) => void acknowledged.add(line), look: (image) => look(image, acknowledged) },
  );
}

function look(image: string, acknowledged: ReadonlySet<string>): Verdict {
  const whole = new Set<string>();
  let damaged = 0;
  for (const shard of readdirSync(image).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of readdirSync(join(image, shard))) {
      const hash = createHash("sha256")
        .update(readFileSync(join(image, shard, name)))
        .digest("hex");
      if (hash === shard + name) whole.add(hash);
      else damaged += 1;
    }
  }
  return { damaged, lost: [...acknowledged].filter((id) => !whole.has(id)).length };
}

describe("a power cut while blobs are stored", () => {
  test("loses no acknowledged blob and leaves none with other bytes than its id's", async () => {
    const found = await verdicts("as built", null);
    expect(found).toHaveLength(imageCount);
    expect(found.filter(({ damaged, lost }) => damaged + lost > 0)).toEqual([]);
    console.log(`blobs: ${found.length} images, 0 damaged, 0 with losses`);
  });

  test("is detected when bytes are renamed before they are synced", async () => {
    const found = await verdicts("unsynced", ["/folder-blobs.ts", "await file.sync();", ""]);
    expect(found.filter(({ damaged }) => damaged > 0).length).toBeGreaterThan(imageCount / 20);
  });

  test("is detected when a new folder is not synced", async () => {
    const patch: Patch = [
      "/folder-blobs.ts",
      "namedShards.set(shard, syncFolder(folder))",
      "namedShards.set(shard, Promise.resolve())",
    ];
    const found = await verdicts("unsynced folder", patch);
    expect(found.filter(({ lost }) => lost > 0).length).toBeGreaterThan(imageCount / 20);
  });
});
