import { isAbsolute, relative, sep } from "node:path";
import type { ReadTextFileRequest, ReadTextFileResponse } from "@agentclientprotocol/sdk/unstable";
import { RequestError } from "../../adapters/acp/acp-package.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { readFilePath } from "../../core/base/file-path.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { ToolCallId, TurnId } from "../../core/base/ids.ts";
import type { ModelActor } from "../../core/base/actor.ts";
import { diffChanges } from "../../core/block/change/diff-changes.ts";
import { mergedWith } from "../../core/block/change/merged-with.ts";
import { isRunByOthers } from "../../core/tool/file/run-by-others.ts";
import type { ToolContext } from "../conversation/base/ports.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Author } from "../document/record/types.ts";
import type { ToolFolders } from "../files/folder-types.ts";
import type { WorkspaceFiles } from "../files/workspace-files-types.ts";
import type { Replicas } from "../replica/replica-registry.ts";
import type { OpenWrite } from "./agent-call.ts";

interface FilesPorts {
  readonly hub: Pick<DocumentHub, "editor">;
  readonly replicas: Replicas;
  /** The files of the conversation's folder; null without one. */
  readonly files: WorkspaceFiles | null;
  readonly folders: Pick<ToolFolders, "isRunByGit">;
}

/** The most open files whose text is noted when a turn begins. */
const notedMax = 500;

/** The files of a folder as one session of an agent knows them: live documents, merged with what the agent last read. */
export class SessionFiles {
  readonly #ports: FilesPorts;
  /** The text that the agent last saw of each file. */
  readonly #seen = new Map<string, string>();
  #actor: ModelActor | null = null;
  #turnId: TurnId | null = null;

  constructor(ports: FilesPorts) {
    this.#ports = ports;
  }

  /** Whether other programs run or obey a file, so that a person is asked about it by itself. */
  async isRunByOthers(path: string): Promise<boolean> {
    return isRunByOthers(path) || this.#ports.folders.isRunByGit(path);
  }

  /** Notes who acts from now on, and the files as they are. */
  async turn(actor: ModelActor): Promise<void> {
    this.#actor = actor;
    this.#turnId = actor.turnId;
    if (this.#ports.files !== null) await this.#noteOpened(this.#ports.files);
  }

  /** Attributes what the agent writes to the disk during its turn; `callId` is the call under way. */
  async during(work: Promise<void>, callId: () => string | null): Promise<void> {
    const { files } = this.#ports;
    const actor = this.#actor;
    if (files === null || actor === null) return work;
    let number = 0;
    const author = async (): Promise<Author> => {
      number += 1;
      return this.#author(actor, callId() ?? "disk", `disk/${number}`);
    };
    const lent = await files.lend(
      author,
      () => work,
      (path, text) => this.#takeSeen(path, text),
    );
    await lent.settled;
  }

  /** Answers a read by the live text, and notes what the agent saw. */
  async read(
    { path, line, limit }: ReadTextFileRequest,
    { missingIsEmpty }: { readonly missingIsEmpty: boolean },
  ): Promise<ReadTextFileResponse> {
    const { files } = this.#ports;
    const below = this.#below(path);
    const reading = files === null || below === null ? null : await files.read(below);
    if (reading === null || !reading.ok) {
      if (missingIsEmpty && below !== null && reading?.error.code === "FILE_NOT_FOUND") return { content: "" };
      throw new RequestError(-32002, "Resource not found", { uri: path });
    }
    const { text } = reading.value;
    this.#seen.set(reading.value.path, text);
    if (typeof line !== "number" && typeof limit !== "number") return { content: text };
    const lines = text.split(/(?<=\n)/u);
    const from = Math.max(0, (line ?? 1) - 1);
    return { content: lines.slice(from, limit === null || limit === undefined ? undefined : from + limit).join("") };
  }

  /** Writes a file as the agent asks, merged with what others wrote since it read it; returns why not. */
  async write(
    { path, content }: Pick<OpenWrite, "path" | "content">,
    { context, callId, number }: { readonly context: ToolContext; readonly callId: string; readonly number: number },
  ): Promise<Error | null> {
    const { files, hub } = this.#ports;
    const below = this.#below(path);
    if (files === null || below === null) return new RequestError(-32002, "Resource not found", { uri: path });
    const author = await this.#author(context.actor, callId, `write/${number}`);
    const written = await this.#write(files, hub, { path: below, content, author });
    if (!written.ok) return new RequestError(-32603, written.error.message, { code: written.error.code });
    this.#seen.set(below, content);
    return null;
  }

  /** Notes the texts of files that a call has read or written, by their absolute paths. */
  async noteSeen(paths: readonly string[]): Promise<void> {
    const { files } = this.#ports;
    for (const path of paths) {
      const below = this.#below(path);
      const reading = files === null || below === null ? null : await files.read(below);
      if (reading?.ok === true) this.#seen.set(reading.value.path, reading.value.text);
    }
  }

  async #write(
    files: WorkspaceFiles,
    hub: FilesPorts["hub"],
    { path, content, author }: { readonly path: string; readonly content: string; readonly author: Author },
  ): Promise<Result<void, Refusal>> {
    const opened = await files.open(path);
    if (!opened.ok) {
      if (opened.error.code !== "FILE_NOT_FOUND") return opened;
      const made = await files.make(author, path, content);
      return made.ok ? files.save(made.value.id) : made;
    }
    const seen = this.#seen.get(path);
    const edited = await hub.editor.editWith(author, opened.value, ({ text }) => {
      const merged = seen === undefined ? content : mergedWith(seen, text, content);
      if (merged === null) return err(refusal("CONFLICT", { path }, conflictWords));
      return ok({ changes: diffChanges(text, merged) });
    });
    return edited.ok ? files.save(opened.value) : edited;
  }

  async #author(actor: ModelActor, callId: string, unit: string): Promise<Author> {
    const turnId = this.#turnId ?? actor.turnId;
    const toolCallId = callId as ToolCallId;
    return {
      actor: { ...actor, toolCallId },
      replica: await this.#ports.replicas.forRun(actor),
      unit: { id: `${turnId}/${callId}/${unit}`, turnId, toolCallId },
    };
  }

  /** Returns what the agent last saw of a file that it wrote to the disk, and notes what it wrote. */
  #takeSeen(path: string, text: string): string | null {
    const seen = this.#seen.get(path) ?? null;
    this.#seen.set(path, text);
    return seen;
  }

  async #noteOpened(files: WorkspaceFiles): Promise<void> {
    const opened = await files.opened();
    for (const { path } of opened.slice(0, notedMax)) {
      if (this.#seen.has(path)) continue;
      const reading = await files.read(path);
      if (reading.ok) this.#seen.set(path, reading.value.text);
    }
  }

  /** Returns an absolute path as one below the folder; null where it is not below it. */
  #below(path: string): string | null {
    const { files } = this.#ports;
    if (files === null || !isAbsolute(path)) return null;
    const below = relative(files.folder, path).split(sep).join("/");
    const read = readFilePath(below);
    return read.ok ? read.value : null;
  }
}

const conflictWords =
  "A person changed the same lines since you read the file, and their words stay. Nothing was written. Read the file again, then make your change.";
