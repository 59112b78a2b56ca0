/** An attack that is no load on a running server: tests of the repository try it, in full on `npm run attack`. */
export interface Trial {
  readonly says: string;
  /** Test files and folders. Their bounds are in them; `npm test` runs each in a short form. */
  readonly tests: readonly string[];
}

/** All trials, by the name on the command line. */
export const trials: Readonly<Record<string, Trial>> = {
  "damaged-files": {
    says: "databases and logs that are cut short, zeroed, missing or changed by a bit: what can be read is served and saved, the rest named",
    tests: ["src/host/data/recover.test.ts", "src/adapters/storage/sqlite", "test/process/recovery-drill.test.ts"],
  },
  "full-disk": {
    says: "a disk without space at each kind of write: nothing acknowledged is lost, and people are told",
    tests: [
      "src/host/server/live/full-disk.test.ts",
      "src/adapters/storage/sqlite/commit-batch.test.ts",
      "src/host/conversation/store-faults.test.ts",
    ],
  },
  "power-cut": {
    says: "the power goes at any write: nothing acknowledged is lost, nothing is broken",
    tests: ["test/power-cut"],
  },
  "killed-process": {
    says: "kill -9 at any moment, with tools and commands at work",
    tests: [
      "test/process/kill.test.ts",
      "test/process/kill-tools.test.ts",
      "test/process/kill-bash.test.ts",
      "test/process/kill-commands.test.ts",
    ],
  },
  hooks: {
    says: "an agent writes what git, editors, package managers, CI or other agents run by themselves, by tools and by commands",
    tests: [
      "src/core/tool/file/run-by-others.test.ts",
      "src/host/conversation/run/file-approvals.test.ts",
      "src/host/server/mcp/run-by-others.test.ts",
      "src/adapters/files/commit-files.test.ts",
      "test/sandbox",
    ],
  },
  escapes: {
    says: "paths, links, sockets, calls of the kernel and processes that lead out of the folder or the sandbox",
    tests: [
      "src/core/base/file-path.test.ts",
      "src/adapters/files",
      "src/host/tool/agent-files.test.ts",
      "test/sandbox",
    ],
  },
  "mcp-children": {
    says: "MCP servers that die, hang, flood, answer late or with garbage, change their tools or leave processes behind",
    tests: ["src/adapters/mcp", "src/host/mcp-servers", "test/simulation"],
  },
};
