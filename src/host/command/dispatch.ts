import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, RequestId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import { readCommand, type ReadCommand } from "../../core/protocol/read-command.ts";
import { verbRow } from "../../core/rights/verb-table.ts";
import { hideTime } from "../access/hide-time.ts";
import { reachOfAsking } from "../access/reach.ts";
import { withoutHiddenRuns, withUnverifiedNames } from "../access/team-authors.ts";
import { whyNotAllowed } from "../access/why-not-allowed.ts";
import { authorise } from "../base/authorise.ts";
import { requestsKey } from "../base/client-key.ts";
import type { Remember } from "../base/once.ts";
import { orNotStored } from "../base/store-refusal.ts";
import { whyMissing } from "../document/block/closed-refusal.ts";
import { isOnlyInDraft } from "../../core/block/list-blocks.ts";
import type { Author } from "../document/record/types.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { notedBy, noteRefusal } from "./base/audit-acts.ts";
import type { Caller, CommandCall } from "./base/call.ts";
import { performs } from "./performs.ts";
import { accessOf, portsOf, whyNotCommand } from "./base/questions.ts";

/** One received request for a command. */
interface CommandRequest {
  readonly caller: Caller;
  readonly name: string;
  readonly params: unknown;
  /** The client's request id, if it is not among the parameters (`clientRequestId`, which takes precedence). */
  readonly requestId?: RequestId;
}

/** Performs one command; its row describes the answer. */
export type Dispatch = (request: CommandRequest) => Promise<Result<unknown, Refusal>>;

/**
 * The only way to a command, over any transport: validates it, authorises the caller, performs it and returns its
 * answer. A changing command with a request id takes effect once.
 */
export function createDispatch(workspace: Workspace): Dispatch {
  return async ({ caller, name, params, requestId: ofCall }) => {
    const read = readCommand(name, params);
    if (!read.ok) return read;
    const command = read.value;
    const access = accessOf(command);
    const allowed = authorise(caller.actor, access);
    if (!allowed.ok) return allowed;
    const { actor, replica, grant = null, member = null } = caller;
    const asking = { grant, member };
    const { changes } = verbRow(access[0]);
    const requestId = command.clientRequestId ?? ofCall;
    // A read may be long, and repeating it is as good as recording it.
    const request =
      requestId === undefined || !changes
        ? null
        : {
            clientId: requestsKey(caller.clientId, actor, grant),
            requestId,
            asked: { command: command.name, params: command.params },
          };
    /** What a person of a team is told of an answer, also of one that is repeated. */
    const told = async (answer: Result<unknown, Refusal>): Promise<Result<unknown, Refusal>> => {
      if (member === null || !answer.ok || typeof answer.value !== "object" || answer.value === null) return answer;
      const known = await reachOfAsking(asking, workspace);
      // A conversation's own answers are for who may read it.
      const isWhole = known === null || access[0].startsWith("conversation.");
      const { store } = workspace;
      return ok(withUnverifiedNames(isWhole ? answer.value : await withoutHiddenRuns(answer.value, known, store)));
    };
    const lacks = await hideTime(asking, workspace.platform.clock, () => whyNotCommand(asking, command, workspace));
    if (lacks !== null) {
      await noteRefusal(workspace, command, { actor, asking, lacks });
      // What the command did may be why its object is out of reach: it was deleted, moved or renamed.
      const answered = request === null ? null : await workspace.once.answered(request);
      return answered === null ? err(lacks) : told(answered);
    }
    if (changes) {
      const kept = await workspace.replicas.keep(replica);
      if (!kept.ok) return kept;
    }
    const reach = caller.within ?? (await reachOfAsking(asking, workspace));
    const may = async (wanted: Access): Promise<boolean> =>
      (await whyNotAllowed(asking, wanted, portsOf(workspace))) === null;
    const author = (): Author => workspace.author(actor, replica);
    const noted = notedBy(workspace, actor, member);
    const work = async (remember: Remember<object>): Promise<Result<object, Refusal>> => {
      const noCanvas = await whyNoCanvas(workspace, command);
      return noCanvas === null
        ? perform({ workspace, actor, author, reach, may, asking, remember, noted }, command)
        : err(noCanvas);
    };
    return told(await orNotStored(() => workspace.once.run(request, work)));
  };
}

function perform(call: CommandCall<object>, { name, params }: ReadCommand): Promise<Result<object, Refusal>> {
  const row = performs[name] as (call: CommandCall<object>, params: unknown) => Promise<Result<object, Refusal>>;
  return row(call, params);
}

/** Returns the canvas a command names; null for none. */
function canvasNamedIn({ params }: ReadCommand): BlockId | null {
  return "canvasId" in params ? (params.canvasId ?? null) : null;
}

async function whyNoCanvas({ store }: Workspace, command: ReadCommand): Promise<Refusal | null> {
  const canvasId = canvasNamedIn(command);
  if (canvasId === null) return null;
  const header = await store.block(canvasId);
  // A draft may lie over any document; all else is about canvases alone.
  const isFit = command.name.startsWith("draft.") ? header?.kind === "file" : header?.policy !== undefined;
  if (header === null || !isFit) return refusal("BLOCK_NOT_FOUND", { block_id: canvasId });
  const isThere = header.deletedAt === undefined || (command.name.startsWith("draft.") && isOnlyInDraft(header));
  return isThere ? null : whyMissing(store, canvasId);
}
