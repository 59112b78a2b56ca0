import {
  idBehind,
  timeSortedId,
  type DraftId,
  type NodeId,
  type RootId,
  type RunId,
  type TurnId,
} from "../../../core/base/ids.ts";
import type { Platform } from "../../../core/port/platform.ts";

/** Creates the ids of a conversation's objects. Never reused; sorted by time. */
export interface NewIds {
  root(): RootId;
  node(): NodeId;
  run(): RunId;
  turn(): TurnId;
  /** Sorts behind the one before it, also within a millisecond: drafts are numbered in the order of their ids. */
  draft(): DraftId;
}

export function newIds({ clock, random }: Pick<Platform, "clock" | "random">): NewIds {
  const make = (prefix: string): string => timeSortedId(prefix, clock.now(), random.bytes(12));
  let lastDraft = "";
  return {
    root: () => make("root") as RootId,
    node: () => make("node") as NodeId,
    run: () => make("run") as RunId,
    turn: () => make("turn") as TurnId,
    draft() {
      const made = make("draft");
      lastDraft = made > lastDraft ? made : idBehind(lastDraft);
      return lastDraft as DraftId;
    },
  };
}
