import type { JsonObject } from "../../../core/base/json.ts";
import { listAt, numberAt, textAt } from "../shared/json-read.ts";
import type { CanvasResult } from "./canvas-result.ts";
import { decide, needsCanvas } from "./decide.ts";
import type { Decision } from "./decision.ts";
import type { Clause } from "./grammar.ts";
import { blankView, type GrepMatch, isWhole, settles, structureQuery, textLines, type View } from "./view.ts";

/** The outcome of one clause. */
export type Outcome =
  | { readonly type: "done"; readonly what: string }
  /** A suggestion waits for a person to keep it; the text is unchanged. */
  | { readonly type: "suggested"; readonly what: string }
  | { readonly type: "answer"; readonly text: string }
  | { readonly type: "cannot"; readonly why: string };

/** The progress of a request. Always computed from the conversation, never stored. */
export interface Progress {
  readonly clauses: readonly Clause[];
  /** The index of the current clause; past the last one when all are done. */
  readonly at: number;
  readonly outcomes: readonly Outcome[];
  readonly lease: string | undefined;
  /** The canvas has the edit policy Suggest. */
  readonly suggesting: boolean;
  readonly view: View;
  /** Refused patches of the current clause. */
  readonly rejections: number;
  /** How often someone else changed the text while the scribe worked on the current clause. */
  readonly surprises: number;
  readonly expiries: number;
  /** Why the scribe gave up, as a sentence for the person. */
  readonly stopped: string | undefined;
  readonly checkedIn: boolean;
}

export function startProgress(clauses: readonly Clause[]): Progress {
  return {
    clauses,
    at: 0,
    outcomes: [],
    lease: undefined,
    suggesting: false,
    view: blankView,
    rejections: 0,
    surprises: 0,
    expiries: 0,
    stopped: undefined,
    checkedIn: false,
  };
}

/** The next step, once the clauses that need no tool are done. */
export type Next =
  | { readonly type: "check-out"; readonly progress: Progress }
  | {
      readonly type: "look" | "edit";
      readonly progress: Progress;
      readonly decision: Extract<Decision, { readonly type: "look" | "edit" }>;
    }
  | { readonly type: "check-in"; readonly progress: Progress }
  | { readonly type: "report"; readonly progress: Progress };

export function nextOf(progress: Progress): Next {
  let current = progress;
  for (;;) {
    if (current.stopped !== undefined || current.checkedIn) return { type: "report", progress: current };
    const clause = current.clauses[current.at];
    if (clause === undefined) {
      return current.lease === undefined
        ? { type: "report", progress: current }
        : { type: "check-in", progress: current };
    }
    if (needsCanvas(clause) && current.lease === undefined) return { type: "check-out", progress: current };
    const decision = decide(clause, current.view);
    switch (decision.type) {
      case "look":
        return { type: "look", progress: current, decision };
      case "edit":
        return { type: "edit", progress: current, decision };
      case "answer":
      case "cannot":
        // The text is unchanged, so what has been seen of it is still valid.
        current = settled(current, decision, current.view);
        break;
    }
  }
}

const rejectionsMax = 2;
const surprisesMax = 6;
const surprisesBeforeWhole = 2;
const expiriesMax = 3;

/** Applies a tool's result to the progress. */
export function absorb(
  progress: Progress,
  call: { readonly name: string; readonly parameters: JsonObject },
  result: CanvasResult,
): Progress {
  const next = nextOf(progress);
  const current = next.progress;
  if (!result.ok) return absorbRefusal(current, call.name, result);
  switch (call.name) {
    case "canvas_check_out":
      return {
        ...current,
        lease: textAt(result.content, "lease_id") ?? "",
        suggesting: textAt(result.content, "edit_policy") === "suggest",
        view: checkedOut(current.view, result.content),
      };
    case "canvas_grep":
      return seen(current, result.content, (view) =>
        withMatches(view, textAt(call.parameters, "query") ?? "", result.content),
      );
    case "canvas_read_lines":
      return seen(current, result.content, (view) => withLines(view, result.content));
    case "canvas_read_all":
      return seen(current, result.content, (view) => withAll(view, result.content));
    case "canvas_apply_patch": {
      const what = next.type === "edit" && next.decision.type === "edit" ? next.decision.done : "changed the text";
      const type = result.content["awaiting_review"] === true ? "suggested" : "done";
      return settled(current, { type, what }, blankView);
    }
    case "canvas_check_in":
      return { ...current, checkedIn: true };
    default:
      return current;
  }
}

/** A check-out may report the length of the text, which saves a look. */
function checkedOut(before: View, content: JsonObject): View {
  const revision = textAt(content, "revision_id");
  const lineCount = revision === undefined ? undefined : numberAt(content, "line_count");
  return { ...blankView, readWhole: before.readWhole, ...(lineCount === undefined ? {} : { revision, lineCount }) };
}

type Refused = Extract<CanvasResult, { readonly ok: false }>;

function absorbRefusal(progress: Progress, tool: string, refused: Refused): Progress {
  // The work is done by now, so a lease that is already lost does no harm.
  if (tool === "canvas_check_in") return { ...progress, checkedIn: true };
  switch (refused.code) {
    case "STALE_EPOCH": {
      // No person stopped the scribe: its lease expired, and someone else edited the canvas since.
      if (refused.details["ran_out"] === true) return leaseLost(progress);
      const kept = refused.details["kept_as_suggestion"] === true;
      const late = kept ? " What I was about to write is kept as a suggestion, which you may keep or reject." : "";
      return {
        ...progress,
        stopped: `A person took control of the canvas, so I have stopped.${late} Ask me again if you want me to go on.`,
      };
    }
    case "LOCK_NOT_AVAILABLE":
      return {
        ...progress,
        stopped: `${holderOf(refused)} is editing the canvas right now, so I left it alone. Ask me again in a moment.`,
      };
    case "LEASE_EXPIRED":
    case "LOCK_NOT_OWNED":
      return leaseLost(progress);
    case "PATCH_REJECTED": {
      if (refused.details["reason"] === "REVIEW_ENDED")
        return { ...progress, suggesting: false, view: { ...blankView, readWhole: true } };
      const rejections = progress.rejections + 1;
      if (rejections >= rejectionsMax) {
        return settled(
          progress,
          { type: "cannot", why: `My change did not fit the text, twice: ${refused.message}` },
          blankView,
        );
      }
      return { ...progress, rejections, view: { ...blankView, readWhole: true } };
    }
    case "LINE_OUT_OF_RANGE":
      // The text got shorter, or is empty.
      if (!progress.view.readWhole) return { ...progress, view: { ...blankView, readWhole: true } };
      return settled(progress, { type: "cannot", why: refused.message }, blankView);
    case "CANVAS_UNAVAILABLE":
      return {
        ...progress,
        stopped: "This conversation has no canvas that I can edit. Open or create one beside it, then ask me again.",
      };
    case "UNKNOWN_TOOL":
    case "UNKNOWN_METHOD":
      return { ...progress, stopped: `The tool ${tool} is not available, and I cannot edit without it.` };
    case "CANCELLED":
    case "SKIPPED":
    case "DENIED":
      return { ...progress, stopped: `The step ${tool} was ${refused.code.toLowerCase()}, so I have stopped.` };
    default: {
      const why = refused.message === "" ? refused.code : refused.message;
      return tool === "canvas_check_out"
        ? { ...progress, stopped: `I could not check out the canvas: ${why}` }
        : settled(progress, { type: "cannot", why: `The canvas refused (${tool}): ${why}` }, blankView);
    }
  }
}

function leaseLost(progress: Progress): Progress {
  const expiries = progress.expiries + 1;
  const stopped = expiries > expiriesMax ? "My lease on the canvas kept running out, so I gave up." : undefined;
  return { ...progress, expiries, stopped, lease: undefined, view: blankView };
}

function holderOf(refused: Refused): string {
  const { holder } = refused.details;
  const name = typeof holder === "string" ? holder : (textAt(holder, "name") ?? textAt(refused.details, "holder_name"));
  return name === undefined || name === "" ? "Another agent" : name;
}

function settled(progress: Progress, outcome: Outcome, view: View): Progress {
  return {
    ...progress,
    at: progress.at + 1,
    outcomes: [...progress.outcomes, outcome],
    view: { ...view, readWhole: false },
    rejections: 0,
    surprises: 0,
  };
}

/** Adds to what has been seen, and discards what was seen of another revision. */
function seen(progress: Progress, content: JsonObject, change: (view: View) => View): Progress {
  const revision = textAt(content, "revision_id");
  const { view } = progress;
  if (view.revision === undefined || view.revision === revision)
    return { ...progress, view: change({ ...view, revision }) };
  const surprises = progress.surprises + 1;
  if (surprises > surprisesMax) {
    return settled(
      progress,
      { type: "cannot", why: "The text kept changing while I was reading it, so I left this for later." },
      blankView,
    );
  }
  return {
    ...progress,
    surprises,
    view: change({ ...blankView, revision, readWhole: surprises >= surprisesBeforeWhole }),
  };
}

function withMatches(view: View, query: string, content: JsonObject): View {
  const matches = listAt(content, "matches").flatMap((match): readonly GrepMatch[] => {
    const line = numberAt(match, "line");
    return line === undefined ? [] : [{ line, text: textAt(match, "text") ?? "" }];
  });
  const truncated = content["truncated"] === true;
  if (query === structureQuery) return { ...view, structure: truncated || !settles(matches) ? "doubtful" : matches };
  return truncated
    ? { ...view, readWhole: true }
    : { ...view, found: { query, lines: matches.map((match) => match.line) } };
}

function withLines(view: View, content: JsonObject): View {
  const from = numberAt(content, "start_line") ?? 1;
  const to = numberAt(content, "end_line") ?? from;
  const lines = new Map(view.lines);
  for (const [at, line] of textLines(textAt(content, "text") ?? "", to - from + 1).entries())
    lines.set(from + at, line);
  return { ...view, lines, lineCount: numberAt(content, "line_count") ?? view.lineCount };
}

function withAll(view: View, content: JsonObject): View {
  const text = textAt(content, "text") ?? "";
  const given = numberAt(content, "line_count");
  const counted = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const lineCount = given ?? counted;
  const lines = new Map(textLines(text, lineCount).map((line, at) => [at + 1, line]));
  const whole: View = { ...view, lines, lineCount };
  return isWhole(whole) ? whole : { ...whole, lineCount: lines.size };
}
