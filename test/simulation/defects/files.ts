import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "a file is written over what another program wrote",
    file: "src/host/files/file-block.ts",
    search: "await this.#ports.tree.replace(this.path, bytes, this.#state.hash, this.#state.mode ?? undefined);",
    replacement:
      "await this.#ports.tree.replace(\n      this.path,\n      bytes,\n      await this.#ports.tree.read(this.path).then((read) => (read.ok ? (read.value?.hash ?? null) : this.#state.hash)),\n      this.#state.mode ?? undefined,\n    );",
  },
  {
    name: "any content of a file is taken for our own half write",
    file: "src/host/files/file-block.ts",
    search: "if (writing !== null && writing.hash === hash) return",
    replacement: "if (writing !== null) return",
  },
  {
    name: "a file that could not be written is not tried again",
    file: "src/host/files/watched-file.ts",
    search: "    this.#refusalsByJob.set(job, done.error);\n    this.#retry();\n",
    replacement: "    this.#refusalsByJob.set(job, done.error);\n",
  },
  {
    name: "what another program wrote while the server was down is missed",
    file: "src/host/files/workspace-files.ts",
    search: "        await watched?.mergeFile();\n",
    replacement: "",
  },
  {
    name: "text that was not on the disk at a crash is not written",
    file: "src/host/files/workspace-files.ts",
    search: "        watched?.changed(header.version);\n",
    replacement: "",
  },
  {
    name: "merged text counts as written",
    file: "src/host/files/file-state.ts",
    search: "hash, merged: true, writing: null, conflict: null };",
    replacement: "hash, merged: false, version: Number.MAX_SAFE_INTEGER, writing: null, conflict: null };",
  },
  {
    name: "what a merge took from a file is known in memory only",
    file: "src/host/files/file-block.ts",
    search: "        states.push(state);\n        return [putFileState(this.id, state)];\n",
    replacement: "        states.push(state);\n        return [];\n",
  },
  {
    name: "a file is made empty, and filled by another commit",
    file: "src/host/files/workspace-files.ts",
    search:
      "    const created = await this.#create(author, path, text, { asEdit: true });\n    if (!created.ok) return created;\n",
    replacement:
      '    const created = await this.#create(author, path, "", {});\n    if (!created.ok) return created;\n    const changes = [{ from: 0, to: 0, insert: text }];\n    const filled = await this.#ports.hub.editor.edit(author, created.value.id, { changes });\n    if (!filled.ok) return filled;\n',
  },
];
