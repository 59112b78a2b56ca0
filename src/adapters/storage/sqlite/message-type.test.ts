import { mkdtemp, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { node, root } from "../../../testing/store/records.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

test("14.10 message_type names who spoke, and error for a reply that ended before it was whole", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-type-"));
  const file = join(folder, "heddle.db");
  const store = await openSqliteStore({ file });
  const text = [{ type: "text", text: "x" }] as const;
  const nodes = [
    node("1", { message: { role: "user", content: [...text] } }),
    node("2", { message: { role: "assistant", content: [...text] } }),
    node("3", { message: { role: "assistant", content: [...text], interrupted: true } }),
    node("4", { message: { role: "system", content: [...text] } }),
  ];
  await store.commit([
    { type: "put-root", root: root("a") },
    ...nodes.map((each) => ({ type: "put-node", node: each }) as const),
  ]);
  await store.close();
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare("SELECT message_type FROM messages ORDER BY sequence_id").all();
  database.close();
  await rm(folder, { recursive: true });
  expect(rows.map((row) => row["message_type"])).toEqual(["user", "agent", "error", "system"]);
});
