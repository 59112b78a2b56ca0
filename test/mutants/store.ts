import type { Mutant } from "./mutant.ts";

const suite = "src/adapters/storage/sqlite/open-sqlite-store.test.ts";
const crash = "src/adapters/storage/sqlite/crash.test.ts";
const powerCut = "test/power-cut/store.test.ts";

const folder = "src/adapters/storage/sqlite";

/** Defects of the store and of how durable it is. */
export const mutants: readonly Mutant[] = [
  {
    name: "a tombstone is dropped",
    file: `${folder}/tables/deleted-messages.ts`,
    search: "  statements.run(remember, [list, rootId, at]);\n",
    replacement: "",
    test: suite,
    only: "F-26",
  },
  {
    name: "a message goes from under those below it",
    file: `${folder}/tables/deleted-messages.ts`,
    search: 'if (isInUse || statements.number(staysBelow, [list]) !== null) return { code: "CONFLICT", stored: null };',
    replacement: 'if (isInUse) return { code: "CONFLICT", stored: null };',
    test: suite,
    only: "F-25",
  },
  {
    name: "a message goes from under a run at work",
    file: `${folder}/tables/deleted-messages.ts`,
    search: "isSettled !== 1",
    replacement: "isSettled === 2",
    test: suite,
    only: "while an active run is at it",
  },
  {
    name: "the words of a deleted message stay",
    file: `${folder}/tables/deleted-messages.ts`,
    search: "  statements.run(dropWords, [list]);\n",
    replacement: "",
    test: suite,
    only: "deleted texts take no place",
  },
  {
    name: "a changed message is found by what it said",
    file: `${folder}/tables/messages.ts`,
    search: "    statements.run(dropWords, [place]);\n",
    replacement: "",
    test: suite,
    only: "a changed message is found",
  },
  {
    name: "an older text of a block takes the place of a newer",
    file: `${folder}/tables/block-words.ts`,
    search: "WHERE ?2 >= version",
    replacement: "WHERE true",
    test: suite,
    only: "by its newest words",
  },
  {
    name: "a question reaches the language of the index",
    file: `${folder}/reads.ts`,
    search: 'words.map((word) => `"${word}"`).join(" AND ")',
    replacement: 'words.join(" AND ")',
    test: suite,
    only: "is searched for its words only",
  },
  {
    name: "the longest prefix is one too short",
    file: "src/adapters/storage/shared/longest-prefix.ts",
    search: "while (low <= high)",
    replacement: "while (low < high)",
    test: suite,
    only: "the longest stored prefix",
  },
  {
    name: "a refused commit of several takes the others with it",
    file: `${folder}/commit-batch.ts`,
    search: "return commits.length === 1 ? verdicts : null;",
    replacement: "return commits.map(() => verdict);",
    test: `${folder}/commit-batch.test.ts`,
  },
  {
    name: "the request of a commit that was taken back is remembered",
    file: "src/adapters/storage/row/sql.ts",
    search: "    if (this.newChanges?.edits !== this.#editsAtBegin) this.newChanges = null;\n",
    replacement: "",
    test: `${folder}/new-changes.test.ts`,
  },
  {
    name: "what a commit that was taken back had filed counts as filed",
    file: `${folder}/tables/changes.ts`,
    search: "  known.count = 0;\n  known.edits += 1;\n",
    replacement: "  known.count = 0;\n",
    test: `${folder}/new-changes.test.ts`,
  },
  {
    name: "the request of a commit that the disk took back is remembered",
    file: `${folder}/commit-batch.ts`,
    search: "  statements.newChanges = null;\n",
    replacement: "",
    test: `${folder}/new-changes.test.ts`,
  },
  {
    name: "what is let go of is looked for among the filed alone",
    file: `${folder}/tables/log-starts.ts`,
    search: "  fileNewChanges(statements);\n  statements.run(noteTurns",
    replacement: "  statements.run(noteTurns",
    test: `${folder}/new-changes.test.ts`,
  },
  {
    name: "a refused commit leaves what it began",
    file: `${folder}/commit-batch.ts`,
    search: 'if (verdict.type !== "made") statements.rollBack("TO one");',
    replacement: "",
    test: `${folder}/commit-batch.test.ts`,
  },
  {
    name: "a commit is acknowledged before it is made",
    file: `${folder}/storage-thread.ts`,
    search: '    const answer = await this.#ask((id) => ({ type: "commit", id, writes }));\n',
    replacement:
      '    const answer = await Promise.race([this.#ask((id) => ({ type: "commit", id, writes })), Promise.resolve({ type: "committed" } as const)]);\n',
    test: crash,
    only: "every acknowledged commit",
  },
  {
    name: "a commit is not synced",
    file: `${folder}/open-database.ts`,
    search: "PRAGMA synchronous = FULL;",
    replacement: "PRAGMA synchronous = NORMAL; -- PRAGMA synchronous = FULL",
    test: powerCut,
    only: "loses no acknowledged commit",
  },
  {
    name: "a slow question is answered where commits are made",
    file: `${folder}/threads.ts`,
    search: "const thread = name === undefined ? this.#writing : await this.#threadFor(name);",
    replacement:
      'const thread = name === undefined || query !== "subtree" ? this.#writing : await this.#threadFor(name);',
    test: `${folder}/threads.test.ts`,
  },
  {
    name: "a table is read whole for a subtree",
    file: `${folder}/tables/messages.ts`,
    search: "FROM down CROSS JOIN messages AS m ON m.place = down.place ORDER BY down.depth, down.place",
    replacement: "FROM down JOIN messages AS m ON m.place = down.place ORDER BY down.depth, down.place",
    test: `${folder}/query-plans.test.ts`,
  },
];
