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
    name: "concurrent insertions at one place are not ordered by replica number",
    file: "src/core/text/walker.ts",
    search: "if (this.comesBefore(other.lv)) break;",
    replacement: "break;",
    test: sessions,
  },
  {
    name: "the rule for different right neighbours is skipped",
    file: "src/core/text/walker.ts",
    search: "} else scanning = this.unitPrecedes(other.rightOrigin, rightOrigin, false);",
    replacement: "}",
    test: sessions,
  },
  {
    name: "an insertion between others' left neighbours does not end the search",
    file: "src/core/text/walker.ts",
    search: "} else if (this.unitPrecedes(other.leftOrigin, leftOrigin, true)) break;",
    replacement: "}",
    test: sessions,
  },
  {
    name: "a deleted unit is no longer a neighbour",
    file: "src/core/text/walker.ts",
    search: "    let right = cursor;\n    while (right !== undefined && right.now === 0) {",
    replacement: "    let right = cursor;\n    while (right !== undefined && right.now !== 1) {",
    test: sessions,
  },
  {
    name: "cancelling one of two deletions restores the text",
    file: "src/core/text/walker.ts",
    search: "const returns = item.deletions === 1 && by === -1;",
    replacement: "const returns = item.deletions > 0 && by === -1;",
    test: sessions,
  },
  {
    name: "another replica's letter joins the previous run",
    file: "src/core/text/walker.ts",
    search: " || this.newestBy !== this.author?.agent) return false;",
    replacement: ") return false;",
    test: sessions,
  },
  {
    name: "a letter with another right neighbour joins a run",
    file: "src/core/text/walker.ts",
    search: "return item.rightOrigin === (right === undefined ? none : right.lv);",
    replacement: "return true;",
    test: documents,
  },
  {
    name: "a replay starts although later undos need earlier ops",
    file: "src/core/text/history.ts",
    search: "if (reach > base) break;",
    replacement: "if (reach >= -1) break;",
    test: sessions,
  },
  {
    name: "a repeated keystroke is inserted twice",
    file: "src/core/text/document.ts",
    search: " || history.nextSeq(agent) !== seq) return undefined;",
    replacement: ") return undefined;",
    test: documents,
  },
  {
    name: "a refused update leaves its first changes",
    file: "src/core/text/document.ts",
    search: "        this.branch.rollBack(end, heads);\n",
    replacement: "",
    test: updates,
  },
  {
    name: "an update's checksum is not compared",
    file: "src/core/text/update-codec.ts",
    search: "if (readSum(update, update.length - 4) !== crc32(update, 0, update.length - 4)) {",
    replacement: "if (update.length < 6) {",
    test: "test/fuzz/fuzz-text.test.ts",
  },
  {
    name: "an update may contain other replicas' operations",
    file: "src/core/text/update-codec.ts",
    search: "if (limits.agent !== undefined && agent !== limits.agent) {",
    replacement: "if (limits.agent === 0) {",
    test: updates,
  },
  {
    name: "the first unit that can be undone is dropped",
    file: "src/core/text/compaction.ts",
    search: "limit = Math.min(limit, lv - 1);",
    replacement: "limit = Math.min(limit, lv);",
    test: sessions,
  },
  {
    name: "the oldest needed version is dropped",
    file: "src/core/text/compaction.ts",
    search: "limit = Math.min(limit, top(version));",
    replacement: "limit = Math.min(limit, top(version) + 1);",
    test: compaction,
  },
  {
    name: "a damaged history is accepted",
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
    name: "watchers are notified before the change is on disk",
    file: "src/host/document/lane.ts",
    search: "      let committed: Result<void, StoreRefusal>;\n",
    replacement: "      let committed: Result<void, StoreRefusal>;\n      this.feed.publish(round.changes);\n",
    test: hub,
  },
  {
    name: "a busy client is served without pause before everybody else",
    file: "src/host/document/fair-queue.ts",
    search: "if (leastMs > hubLimits.turnMs) {",
    replacement: "if (leastMs < 0) {",
    test: hostile,
  },
  {
    name: "a full queue is emptied before anybody else is served",
    file: "src/host/document/lane.ts",
    search: "      await everythingElse();\n",
    replacement: "",
    test: hostile,
  },
];
