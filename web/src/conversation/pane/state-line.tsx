import { useEffect, useRef } from "react";
import type { RunView } from "../../../../src/client/types.ts";
import { useApp } from "../../ui/app-context.ts";
import { useSettings } from "../../browser/settings.ts";
import { useNow, useObservable } from "../../ui/use-observable.ts";
import {
  countsDown,
  countsUp,
  describeState,
  isActive,
  reconnectedMs,
  shownState,
} from "../../view/run/shown-state.ts";
import { lastSaid } from "../../view/branches/hidden.ts";
import { firstSentence, wordsOf } from "../../view/words/words.ts";
import type { ConversationModel } from "../state/use-conversation.ts";

/** The one truthful line about what goes on, and what the conversation has used. */
export function StateLine({ model }: { readonly model: ConversationModel }) {
  const { client, announce } = useApp();
  const { readReplies } = useSettings();
  const connection = useObservable(client.state);
  const charactersPerSecond = useRate(model.run);
  const last = lastSaid(model.path);
  const interrupted = last?.message.role === "assistant" && last.message.interrupted === true;
  const situation = {
    connection,
    now: Date.now(),
    run: model.run,
    sending: model.sending !== null,
    busy: model.busy,
    interrupted,
    charactersPerSecond,
  };
  const first = shownState(situation);
  const now = useNow(
    countsDown(first) ? 100 : countsUp(first) ? 1_000 : first.type === "reconnected" ? reconnectedMs / 2 : null,
  );
  const state = shownState({ ...situation, now });
  const words = describeState(state, now);

  const announced = useRef("");
  const announcement = words.announcement ?? "";
  useEffect(() => {
    if (announcement === announced.current) return;
    announced.current = announcement;
    if (announcement !== "") announce(announcement);
  }, [announcement, announce]);

  const active = model.run !== null && isActive(model.run);
  const wasActive = useRef(active);
  const reply = last?.message.role === "assistant" ? wordsOf(last.message) : "";
  useEffect(() => {
    if (wasActive.current && !active && readReplies === "first-sentence" && reply !== "" && !interrupted) {
      announce(`Reply finished. ${firstSentence(reply)}`);
    }
    wasActive.current = active;
  }, [active, announce, interrupted, readReplies, reply]);

  return (
    <p className="state-line" data-testid="state-line" data-state={state.type} data-tone={words.tone}>
      <span className="state-dot" aria-hidden="true" />
      <span className="state-label">{words.label}</span>
    </p>
  );
}

/** How fast a reply is being written, once it has been for half a second; null before. */
function useRate(run: RunView | null): number | null {
  const start = useRef<{ readonly key: string; readonly at: number; readonly length: number } | null>(null);
  const block = run?.liveBlocks.at(-1);
  if (block === undefined) {
    start.current = null;
    return null;
  }
  const now = performance.now();
  if (start.current?.key !== block.header.id)
    start.current = { key: block.header.id, at: now, length: block.text.length };
  const elapsed = now - start.current.at;
  return elapsed < 500 ? null : ((block.text.length - start.current.length) * 1000) / elapsed;
}
