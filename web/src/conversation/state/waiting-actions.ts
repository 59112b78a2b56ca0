import type { HeddleClient } from "../../../../src/client/base/types.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { NodeId, RequestId } from "../../../../src/core/base/ids.ts";
import type { Result } from "../../../../src/core/base/result.ts";
import type { WaitingMessage } from "../../../../src/core/turn/state/waiting.ts";
import { freshId } from "../../browser/session.ts";
import type { Draft } from "../kept/draft.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { Deliver } from "./plan-send.ts";

/** What a person does with a message that waits. Each reports its refusal. */
export interface WaitingActions {
  /** Holds a message while the person edits it; resolves to it as held, or null if the agent already has it. */
  readonly hold: (message: WaitingMessage) => Promise<WaitingMessage | null>;
  /** Saves an edited text; with `release` the message waits again. A text that was refused returns to the composer. */
  readonly save: (message: WaitingMessage, text: string, how: { readonly release: boolean }) => Promise<boolean>;
  /** Lets a held message wait again. */
  readonly release: (message: WaitingMessage) => void;
  /** Sends a held message: now, or in a turn of its own once the agent has finished. */
  readonly send: (message: WaitingMessage) => void;
  readonly deliver: (message: WaitingMessage, how: Deliver) => void;
  /** Moves a message in front of another; null moves it behind all. */
  readonly move: (message: WaitingMessage, before: NodeId | null) => void;
  /** Removes a message; its text returns to the composer, unless it is discarded. */
  readonly withdraw: (message: WaitingMessage, how: { readonly discard: boolean }) => void;
}

interface WaitingPorts {
  readonly store: Pick<ConversationStore, "follow">;
  readonly draft: Pick<Draft, "putBack">;
  readonly client: Pick<HeddleClient, "call">;
  readonly tell: (message: string | Refusal) => void;
}

export function createWaitingActions({ store, draft, client, tell }: WaitingPorts): WaitingActions {
  const report = (result: Result<unknown, Refusal>): boolean => {
    if (!result.ok) tell(result.error);
    return result.ok;
  };
  const change = async (
    message: WaitingMessage,
    wish: {
      readonly text?: string;
      readonly deliver?: Deliver;
      readonly state?: WaitingMessage["state"];
      readonly before?: NodeId | null;
    },
  ) => {
    const params = { ...placeOf(message), ...wish, clientRequestId: freshId("req") as RequestId };
    return client.call("waiting.change", params);
  };
  return {
    async hold(message) {
      if (message.state === "held") return message;
      const held = await change(message, { state: "held" });
      return report(held) && held.ok ? { ...message, state: "held", version: held.value.version } : null;
    },
    async save(message, text, { release }) {
      const saved = await change(message, { text, ...(release ? { state: "waiting" } : {}) });
      if (!saved.ok) draft.putBack([text]);
      return report(saved);
    },
    release: (message) => void change(message, { state: "waiting" }).then(report),
    send(message) {
      store.follow(message.runId);
      void change(message, { state: "waiting", deliver: "queue" }).then(report);
    },
    deliver: (message, how) => void change(message, { deliver: how }).then(report),
    move: (message, before) => void change(message, { before }).then(report),
    withdraw(message, { discard }) {
      const params = { ...placeOf(message), clientRequestId: freshId("req") as RequestId };
      void client.call("waiting.withdraw", params).then((withdrawn) => {
        if (report(withdrawn) && withdrawn.ok && !discard) draft.putBack([withdrawn.value.text]);
      });
    },
  };
}

function placeOf({ runId, id, version }: WaitingMessage) {
  return { runId, id, version };
}
