import { assert } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, RequestId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { planHeaderUpdate, type HeaderWish } from "../../core/block/header-update.ts";
import { isLiveBlock } from "../../core/block/live-block.ts";
import { moveStatus } from "../../core/block/status.ts";
import type { BlockChangeBody, BlockHeader, BlockStatus, EditPolicy } from "../../core/block/types.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import { createDocument } from "../../core/text/document.ts";
import type { TextChange, TextVersion } from "../../core/text/types.ts";
import type { Replicas } from "../replica/replica-registry.ts";
import { readingOf } from "./block-reader.ts";
import { changeHeader, type HeaderPorts } from "./header-change.ts";
import { hubLimits } from "./record/limits.ts";
import { newHeader } from "./record/new-header.ts";
import { OpenBlock, textRefusal, type TextMutation } from "./block/open-block.ts";
import type { AcceptedChange, Author, BlockReading, EditOptions, NewBlock } from "./record/types.ts";
import { validatePlacement } from "./block/validate-placement.ts";
import { metadataRefusal } from "./record/metadata-refusal.ts";
import { directWriter, writerOf, type Writer } from "./record/writer.ts";

interface EditorPorts extends HeaderPorts {
  readonly store: Store;
  readonly platform: Pick<Platform, "clock">;
  readonly replicas: Pick<Replicas, "serverReplicaOf">;
}

/** Changes planned against the text at `at`; at the head by default. */
export interface EditPlan {
  readonly changes: readonly TextChange[];
  readonly at?: TextVersion;
}

/** Receives the current text and returns the changes, or refuses. */
export type Planner = (reading: BlockReading) => Result<EditPlan, Refusal>;

type TextPlan = (block: OpenBlock, writer: Writer) => Result<TextMutation, Refusal>;
type Versioned = Promise<Result<{ readonly version: number }, Refusal>>;

/** Creates and changes blocks. A change is committed before it is acknowledged or broadcast. */
export class BlockEditor {
  readonly #ports: EditorPorts;

  constructor(ports: EditorPorts) {
    this.#ports = ports;
  }

  /**
   * Creates a block. The writes that `also` returns for its id are stored in the same transaction. `asEdit`: the block is
   * created empty and gets its text by an edit in the same commit, which undo can take back. `inDraft`: only drafts have it.
   */
  create(
    author: Author,
    block: NewBlock,
    {
      also,
      asEdit = false,
      inDraft = false,
    }: {
      readonly also?: (id: BlockId) => readonly StoreWrite[];
      readonly asEdit?: boolean;
      readonly inDraft?: boolean;
    } = {},
  ): Promise<Result<BlockHeader, Refusal>> {
    const { store, platform, lanes, replicas } = this.#ports;
    const lane = lanes.ofDocument(block.documentId);
    return lane.alone(async () => {
      const misplaced = await validatePlacement(store, block);
      if (misplaced !== null) return err(misplaced);
      // Checked first: building the text of a large block would keep other mutations waiting.
      if (block.text.length > hubLimits.textUnitsMax) {
        return err(refusal("BLOCK_TOO_LARGE", { actual: block.text.length, max: hubLimits.textUnitsMax }));
      }
      const document = createDocument();
      const writer = await writerOf(replicas, author);
      if (!writer.ok) return writer;
      const changes = block.text === "" ? [] : [{ from: 0, to: 0, insert: block.text }];
      const filled = document.edit(writer.value.serverReplica, asEdit ? [] : changes);
      if (!filled.ok) return err(textRefusal(filled.error));
      const id = `${block.documentId}/${author.replica}/${await lane.nextSeq(author)}` as BlockId;
      const metadata = inDraft ? { ...block.metadata, inDraft } : block.metadata;
      const header = newHeader({ ...block, metadata }, id, platform.clock.now());
      const body: BlockChangeBody = {
        type: "created",
        header,
        update: block.text === "" || asEdit ? new Uint8Array() : filled.value.update,
        spans: filled.value.spans,
      };
      let open = new OpenBlock(header, document);
      const created = await lane.mutateNow({
        blockId: header.id,
        author,
        creates: () => {
          open = new OpenBlock(header, asEdit ? createDocument() : document);
          return open;
        },
        also: () => also?.(header.id) ?? [],
        plan: () => ok([body]),
        next(made) {
          const edited = made.edit(writer.value, asEdit ? changes : []);
          assert(edited.ok, "a text that is not too long fits into an empty block");
          return inDraft ? [...textBodies(edited.value), { type: "deleted" }] : textBodies(edited.value);
        },
      });
      return created.ok ? ok(open.header) : created;
    });
  }

  /** Applies the changes as one mutation and one undo unit. */
  edit(
    author: Author,
    blockId: BlockId,
    plan: EditPlan,
    options: EditOptions = {},
  ): Promise<Result<AcceptedChange, Refusal>> {
    return this.#mutateText(author, blockId, (block, writer) => block.edit(writer, plan.changes, plan.at), options);
  }

  /** Plans inside the document's queue, after every earlier change is applied: for compare-and-set edits. */
  editWith(
    author: Author,
    blockId: BlockId,
    plan: Planner,
    options: EditOptions = {},
  ): Promise<Result<AcceptedChange, Refusal>> {
    return this.#mutateText(author, blockId, planning(plan), options);
  }

  /** Returns whether `editWith` would succeed now: gate, plan, checks and guards are the same, and nothing is committed. */
  async tryEdit(
    author: Author,
    blockId: BlockId,
    plan: Planner,
    { guards = [] }: Pick<EditOptions, "guards"> = {},
  ): Promise<Result<void, Refusal>> {
    const { store, lanes, replicas } = this.#ports;
    const writer = await writerOf(replicas, author);
    if (!writer.ok) return writer;
    return lanes.alone(blockId, async (block) => {
      const planned = this.#planText(block.copy(), writer.value, planning(plan));
      if (!planned.ok) return planned;
      const held = guards.length === 0 ? ok(undefined) : await store.commit(guards);
      if (held.ok) return held;
      const { code } = held.error;
      return err(refusal(code === "DUPLICATE_REQUEST" ? "INTERNAL" : code));
    });
  }

  /** Merges a client's update (B-29, B-31). */
  push(author: Author, blockId: BlockId, update: Uint8Array, requestId: RequestId): Versioned {
    const { lanes, gate, platform } = this.#ports;
    return lanes.of(blockId).mutate({
      blockId,
      author,
      requestId,
      plan: (block) => {
        const refused = gate.whyRefused(author, block, "typed");
        if (refused !== null) return err(refused);
        const typed = { ...author, unit: { id: block.typingUnit(author.replica, platform.clock.monotonic()) } };
        const merged = block.merge(typed, update);
        return merged.ok ? ok(textBodies(merged.value)) : merged;
      },
    });
  }

  /**
   * Streams text onto the end; batched by newline, 50 characters, 100 ms. Failures go to the log and to the block's status.
   */
  append(author: Author, blockId: BlockId, text: string): Versioned {
    return this.#ports.lanes.of(blockId).append(directWriter(author), blockId, text);
  }

  /**
   * Appends for a tool call, in the same batches: calls whose texts are written together are one change and one undo unit,
   * the first call's. Returns the version that will have the text.
   */
  async appendInBatches(author: Author, blockId: BlockId, text: string): Versioned {
    const { store, lanes, replicas } = this.#ports;
    const header = lanes.of(blockId).openHeader(blockId) ?? (await store.block(blockId));
    // Whether a streaming reply takes words is decided when they are written, and not a moment before.
    if (header !== null && isLiveBlock(header)) return this.editWith(author, blockId, atEnd(text));
    const writer = await writerOf(replicas, author);
    return writer.ok ? lanes.of(blockId).append(writer.value, blockId, text, { joins: true }) : writer;
  }

  /** Flushes the text that `append` has buffered, then sets the status; watchers receive both in one delivery (B-19). */
  setStatus(author: Author, blockId: BlockId, status: BlockStatus, options: EditOptions = {}): Versioned {
    return changeHeader(this.#ports, author, blockId, {
      ...options,
      closes: true,
      plan: (header, broken) => {
        const actual = broken && status === "done" ? "error" : status;
        if (actual === header.status) return ok([]);
        const moved = moveStatus(header.status, actual);
        return moved.ok ? ok([{ type: "status", status: actual }]) : moved;
      },
    });
  }

  setPolicy(author: Author, blockId: BlockId, policy: EditPolicy, options: Pick<EditOptions, "also"> = {}): Versioned {
    return this.#ports.lanes.of(blockId).mutate({
      blockId,
      author,
      ...options,
      plan: ({ header }) => ok(header.policy === policy ? [] : [{ type: "policy", policy }]),
    });
  }

  /**
   * Sets flags and metadata in one delivery; a value that is already set is not a change. A wish that builds on what is there is
   * given the header.
   */
  update(
    author: Author,
    blockId: BlockId,
    wish: HeaderWish | ((header: BlockHeader) => HeaderWish),
    /** `ignoresLease`: what changes is not the text that an agent holds. */
    options: EditOptions & { readonly ignoresLease?: boolean } = {},
  ): Versioned {
    return changeHeader(this.#ports, author, blockId, {
      ...options,
      plan: (header) => {
        const planned = planHeaderUpdate(header, typeof wish === "function" ? wish(header) : wish);
        const next = planned.ok ? planned.value.find((body) => body.type === "metadata") : undefined;
        const tooMuch = next === undefined ? null : metadataRefusal(next.metadata, header.metadata);
        if (tooMuch !== null) return err(tooMuch);
        return planned.ok && author.actor.type === "model" ? ok(planned.value.map(withPrevious(header))) : planned;
      },
    });
  }

  async #mutateText(
    author: Author,
    blockId: BlockId,
    change: TextPlan,
    options: EditOptions,
  ): Promise<Result<AcceptedChange, Refusal>> {
    const { lanes, replicas } = this.#ports;
    let made: Pick<AcceptedChange, "text" | "delta"> = { text: "", delta: [] };
    // Does not await for a model, so that edits keep the order of their calls.
    const writer = author.actor.type === "person" ? await writerOf(replicas, author) : ok(directWriter(author));
    if (!writer.ok) return writer;
    const applied = await lanes.of(blockId).mutate({
      blockId,
      author,
      ...options,
      plan: (block) => {
        const changed = this.#planText(block, writer.value, change);
        if (!changed.ok) return changed;
        made = { text: block.document.text(), delta: changed.value.delta };
        return ok(textBodies(changed.value));
      },
    });
    return applied.ok ? ok({ version: applied.value.version, ...made }) : applied;
  }

  /** Changes a text in memory, when the author may write it. */
  #planText(block: OpenBlock, writer: Writer, change: TextPlan): Result<TextMutation, Refusal> {
    const refused = this.#ports.gate.whyRefused(writer, block);
    if (refused !== null) return err(refused);
    block.endTyping(writer.replica);
    return change(block, writer);
  }
}

/** Adds the values before to a change of a header, for the undo of the agent's turn. */
function withPrevious({ collapsed, excluded, metadata }: BlockHeader): (body: BlockChangeBody) => BlockChangeBody {
  return (body) => {
    if (body.type === "metadata") return { ...body, previous: metadata };
    return body.type === "flags" ? { ...body, previous: { collapsed, excluded } } : body;
  };
}

function atEnd(insert: string): Planner {
  return ({ text: { length } }) => ok({ changes: [{ from: length, to: length, insert }] });
}

/** Plans an edit against the text at the moment the queue runs it. */
function planning(plan: Planner): TextPlan {
  return (block, writer) => {
    const decided = plan(readingOf(block));
    return decided.ok ? block.edit(writer, decided.value.changes, decided.value.at) : decided;
  };
}

function textBodies({ body }: TextMutation): readonly BlockChangeBody[] {
  return body === null ? [] : [body];
}
