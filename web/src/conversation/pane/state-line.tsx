import { memo, useEffect, useRef, useState } from "react";
import { useApp } from "../../ui/app-context.ts";
import { useSettings } from "../../browser/settings.ts";
import { useNow, useObservable } from "../../ui/use-observable.ts";
import { useSelected } from "../../ui/use-selected.ts";
import { lastSaid } from "../../view/branches/hidden.ts";
import type { RunHead } from "../../view/run/run-head.ts";
import {
  countsDown,
  countsUp,
  describeState,
  isActive,
  reconnectedMs,
  shownState,
} from "../../view/run/shown-state.ts";
import { firstSentence, wordsOf } from "../../view/words/words.ts";
import type { Conversation } from "../state/conversation.ts";

/** The line that shows the current state of connection and run. */
export const StateLine = memo(function StateLine({ conversation }: { readonly conversation: Conversation }) {
  const { client, announce } = useApp();
  const connection = useObservable(client.state);
  const { run, sending, busy, last } = useSelected(conversation.state, (state) => ({
    run: state.run,
    sending: state.sending !== null,
    busy: state.busy,
    last: lastSaid(state.path),
  }));
  const reply = last?.message.role === "assistant" ? last.message : null;
  const interrupted = reply?.interrupted === true;
  const charactersPerSecond = useRate(conversation, run?.writing?.id ?? null);
  const situation = { connection, now: Date.now(), run, sending, busy, interrupted, charactersPerSecond };
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
  useFinishedReply(run, reply === null || interrupted ? "" : wordsOf(reply));

  return (
    <p className="state-line" data-testid="state-line" data-state={state.type} data-tone={words.tone}>
      <span className="state-dot" aria-hidden="true" />
      <span className="state-label">{words.label}</span>
    </p>
  );
});

/** Announces a finished reply to a screen reader, when the setting is on. */
function useFinishedReply(run: RunHead | null, reply: string): void {
  const { announce } = useApp();
  const { readReplies } = useSettings();
  const active = run !== null && isActive(run);
  const wasActive = useRef(active);
  useEffect(() => {
    if (wasActive.current && !active && readReplies === "first-sentence" && reply !== "") {
      announce(`Reply finished. ${firstSentence(reply)}`);
    }
    wasActive.current = active;
  }, [active, announce, readReplies, reply]);
}

/** Interval of measuring the writing speed. Milliseconds. */
const measureEveryMs = 500;

/**
 * Returns the growth of a block in characters per second; null in the first half second. Measured at intervals, so that
 * the line does not render with each token.
 */
function useRate(conversation: Conversation, blockId: string | null): number | null {
  const [rate, setRate] = useState<number | null>(null);
  useEffect(() => {
    setRate(null);
    if (blockId === null) return undefined;
    const length = (): number =>
      conversation.state.get().liveBlocks.find(({ header }) => header.id === blockId)?.text.length ?? 0;
    const start = { at: performance.now(), length: length() };
    const timer = setInterval(
      () => setRate(((length() - start.length) * 1000) / (performance.now() - start.at)),
      measureEveryMs,
    );
    return () => clearInterval(timer);
  }, [conversation, blockId]);
  return rate;
}
