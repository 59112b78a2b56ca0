import type { Mutant } from "./mutant.ts";

const sessions = "test/text/session.test.ts";
const updates = "src/core/text/update-codec.test.ts";
const documents = "src/core/text/document.test.ts";
const compaction = "src/core/text/compaction.test.ts";
const hostile = "src/host/server/live/hostile-push.test.ts";
const hub = "src/host/document/hub.test.ts";

/** Defects of the text engine and of its owner on the server. */
export const mutants: readonly Mutant[] = [
  {
    name: "two that write at one place are not put in order by their numbers",
    file: "src/core/text/walker.ts",
    search: "if (this.comesBefore(other.lv)) break;",
    replacement: "break;",
    test: sessions,
  },
  {
    name: "the rule for different right neighbours is skipped",
    file: "src/core/text/walker.ts",
    search: "} else scanning = this.runs.unitPrecedes(other.rightOrigin, rightOrigin, false);",
    replacement: "}",
    test: sessions,
  },
  {
    name: "an insertion between others' left neighbours does not end the search",
    file: "src/core/text/walker.ts",
    search: "} else if (this.runs.unitPrecedes(other.leftOrigin, leftOrigin, true)) break;",
    replacement: "}",
    test: sessions,
  },
  {
    name: "a deleted unit is no neighbour any more",
    file: "src/core/text/walker.ts",
    search: "    let right = cursor;\n    while (right !== undefined && right.now === 0) {",
    replacement: "    let right = cursor;\n    while (right !== undefined && right.now !== 1) {",
    test: sessions,
  },
  {
    name: "one cancelled deletion of two gives the text back",
    file: "src/core/text/walker.ts",
    search: "const returns = item.deletions === 1 && by === -1;",
    replacement: "const returns = item.deletions > 0 && by === -1;",
    test: sessions,
  },
  {
    name: "somebody else's letter joins the run of who typed before",
    file: "src/core/text/walker.ts",
    search: " || this.newestBy !== this.author?.replica) return false;",
    replacement: ") return false;",
    test: sessions,
  },
  {
    name: "a letter joins a run though it has another right neighbour",
    file: "src/core/text/walker.ts",
    search: "return item.rightOrigin === (right === undefined ? none : right.lv);",
    replacement: "return true;",
    test: documents,
  },
  {
    name: "a replay begins though later undos look past its beginning",
    file: "src/core/text/history.ts",
    search: "if (reach > base) break;",
    replacement: "if (reach >= -1) break;",
    test: sessions,
  },
  {
    name: "a keystroke that comes twice is typed twice",
    file: "src/core/text/document.ts",
    search: " || history.nextSeq(replica) !== seq) return undefined;",
    replacement: ") return undefined;",
    test: documents,
  },
  {
    name: "a refused update leaves what it had done so far",
    file: "src/core/text/document.ts",
    search: "        this.branch.rollBack(end, heads);\n",
    replacement: "",
    test: updates,
  },
  {
    name: "the checksum of an update is not compared",
    file: "src/core/text/update-codec.ts",
    search: "if (readSum(update, update.length - 4) !== crc32(update, 0, update.length - 4)) {",
    replacement: "if (update.length < 6) {",
    test: "test/fuzz/fuzz-text.test.ts",
  },
  {
    name: "an update may carry operations of others",
    file: "src/core/text/update-codec.ts",
    search: "if (limits.replica !== undefined && replica !== limits.replica) {",
    replacement: "if (limits.replica === 0) {",
    test: updates,
  },
  {
    name: "the first unit that can be undone is forgotten",
    file: "src/core/text/compaction.ts",
    search: "limit = Math.min(limit, lv - 1);",
    replacement: "limit = Math.min(limit, lv);",
    test: sessions,
  },
  {
    name: "the oldest version that is needed is forgotten",
    file: "src/core/text/compaction.ts",
    search: "limit = Math.min(limit, top(version));",
    replacement: "limit = Math.min(limit, top(version) + 1);",
    test: compaction,
  },
  {
    name: "a damaged history is read",
    file: "src/core/text/document-codec.ts",
    search: "  const read = (): History => {\n    check();\n",
    replacement: "  const read = (): History => {\n",
    test: compaction,
  },
  {
    name: "an edit is acknowledged before it is on disk",
    file: "src/host/document/queue/lane.ts",
    search: "      let committed: Result<void, StoreRefusal>;\n",
    replacement:
      "      let committed: Result<void, StoreRefusal>;\n      for (const planned of round.planned) await this.#answer(planned);\n",
    test: hub,
  },
  {
    name: "watchers are told before it is on disk",
    file: "src/host/document/queue/lane.ts",
    search: "      let committed: Result<void, StoreRefusal>;\n",
    replacement: "      let committed: Result<void, StoreRefusal>;\n      this.feed.publish(round.changes);\n",
    test: hub,
  },
  {
    name: "who sends much is served as it comes, and everybody else after that",
    file: "src/host/document/queue/fair-queue.ts",
    search: "if (leastMs > hubLimits.sliceMs) {",
    replacement: "if (leastMs < 0) {",
    test: hostile,
  },
  {
    name: "a full queue is emptied before anybody else is heard",
    file: "src/host/document/queue/lane.ts",
    search: "await this.#ports.turns.next();",
    replacement: "continue;",
    test: hostile,
  },
];
