import { commitBatch } from "../../src/adapters/storage/sqlite/commit-batch.ts";
import { openDatabase } from "../../src/adapters/storage/sqlite/open-database.ts";
import { encodeWrite } from "../../src/adapters/storage/sqlite/row-write.ts";
import { Statements } from "../../src/adapters/storage/row/sql.ts";
import { prefixHash } from "../../src/core/forest/prefix-hash.ts";
import type { ForestNode } from "../../src/core/forest/types.ts";
import type { NodeId, RootId } from "../../src/core/base/ids.ts";
import type { Message } from "../../src/core/message/types.ts";
import type { StoreWrite } from "../../src/core/port/store.ts";
import { model, node, nodeId, person, root, rootId } from "../../src/testing/store/records.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";

/** What a generated workspace holds; the same numbers give the same workspace. */
export interface WorkspaceSize {
  readonly seed: number;
  /** Messages of the one long path. */
  readonly longPath: number;
  /** Children of one node. */
  readonly siblings: number;
  /** Further conversations, each one path of this length. */
  readonly conversations: number;
  readonly messagesEach: number;
  /** Canvases of 20 KB. */
  readonly canvases: number;
}

/** A big workspace, and its small twin. */
export const sizes = {
  big: { seed: 1, longPath: 50_000, siblings: 5_000, conversations: 2_000, messagesEach: 100, canvases: 5_000 },
  small: { seed: 1, longPath: 50, siblings: 5, conversations: 38, messagesEach: 10, canvases: 100 },
} as const satisfies Readonly<Record<string, WorkspaceSize>>;

/** Where the long path and the siblings are. */
export const places: {
  readonly long: RootId;
  readonly wide: RootId;
  readonly inLong: (depth: number) => NodeId;
  readonly sibling: (index: number) => NodeId;
} = {
  long: rootId("long"),
  wide: rootId("wide"),
  inLong: (depth) => nodeId(`long-${depth}`),
  sibling: (index) => nodeId(`wide-${index}`),
};

/** Writes of one transaction. */
const writesAtOnce = 5_000;

/** Fills a new database file: through the store's own code, without a thread in between. */
export function fillWorkspace(file: string, size: WorkspaceSize): void {
  const database = openDatabase(file);
  const statements = new Statements(database);
  const commit = (writes: readonly StoreWrite[]): void => {
    const [answer] = commitBatch(database, statements, [{ type: "commit", id: 1, writes: writes.map(encodeWrite) }]);
    if (answer?.type !== "committed") throw new Error("the workspace could not be filled");
  };
  let waiting: StoreWrite[] = [];
  for (const write of allWrites(size)) {
    waiting.push(write);
    if (waiting.length < writesAtOnce) continue;
    commit(waiting);
    waiting = [];
  }
  commit(waiting);
  database.close();
}

function* allWrites(size: WorkspaceSize): Generator<StoreWrite> {
  const random = seededRandom(size.seed);
  yield* conversation("long", random, size.longPath);
  yield { type: "put-root", root: root("wide") };
  const top = nodeOf("wide-top", rootId("wide"), null, messageAt(random, 0));
  yield { type: "put-node", node: top };
  for (let index = 0; index < size.siblings; index += 1) {
    yield { type: "put-node", node: nodeOf(`wide-${index}`, rootId("wide"), top, messageAt(random, 1)) };
  }
  for (let index = 0; index < size.conversations; index += 1) {
    yield* conversation(`other-${index}`, random, size.messagesEach);
  }
}

function* conversation(name: string, random: SeededRandom, length: number): Generator<StoreWrite> {
  yield { type: "put-root", root: root(name) };
  let above: ForestNode | null = null;
  for (let depth = 0; depth < length; depth += 1) {
    above = nodeOf(`${name}-${depth}`, rootId(name), above, messageAt(random, depth));
    yield { type: "put-node", node: above };
  }
}

function nodeOf(name: string, of: RootId, above: ForestNode | null, message: Message): ForestNode {
  return node(name, {
    rootId: of,
    parentId: above?.id ?? null,
    prefixHash: prefixHash(above?.prefixHash ?? null, message),
    message,
    actor: message.role === "user" ? person : model("bench"),
  });
}

const words = [
  "kettle",
  "table",
  "harbour",
  "lantern",
  "river",
  "winter",
  "letter",
  "garden",
  "window",
  "market",
  "silver",
  "engine",
  "paper",
  "bridge",
  "morning",
  "thread",
  "island",
  "mirror",
  "candle",
  "forest",
] as const;

/** Questions of about 200 letters, answers of about 1,000, as people and models write. */
function messageAt(random: SeededRandom, depth: number): Message {
  const isQuestion = depth % 2 === 0;
  const count = isQuestion ? 15 + random.below(30) : 80 + random.below(140);
  const said = Array.from({ length: count }, () => random.pick(words)).join(" ");
  const content = [{ type: "text", text: `${depth}: ${said}.` }] as const;
  return isQuestion ? { role: "user", content } : { role: "assistant", content };
}
