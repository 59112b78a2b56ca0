import type { HeddleClient } from "../../../client/base/types.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { ApprovalTier, CompactionSettings, ThinkingLevel } from "../../../core/forest/run-rules.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import type { ReplyFlags } from "../base/reply-flags.ts";
import { beginConversation, type ConversationWish } from "../start/begin-conversation.ts";

/** The settings of a conversation; absent: the server's. */
export interface Settings {
  readonly title?: string;
  readonly systemPrompt?: string;
  readonly thinking?: ThinkingLevel;
  readonly toolsOff?: readonly string[];
  readonly fallbacks?: readonly string[];
  readonly serverTools?: readonly string[];
  readonly approvals?: ApprovalTier;
  readonly compaction?: CompactionSettings;
}

/** A change of settings; null restores the server's. */
export type SettingsChange = { readonly [Name in keyof Settings]: Settings[Name] | null };

/** Returns the settings of a conversation. */
export function settingsOf({ title, systemPrompt, replies, approvals, compaction }: ForestRoot): Settings {
  return {
    ...(title === "" ? {} : { title }),
    systemPrompt,
    ...replies,
    ...(approvals === undefined ? {} : { approvals }),
    ...(compaction === undefined ? {} : { compaction }),
  };
}

/** Changes the settings of a conversation, from the next message on. */
async function changeSettings(
  client: Pick<HeddleClient, "call">,
  rootId: RootId,
  change: SettingsChange,
): Promise<Result<unknown, Refusal>> {
  const { title, approvals, compaction, toolsOff, fallbacks, serverTools, ...replies } = change;
  if (title !== undefined) return client.call("conversation.rename", { rootId, title: title ?? "" });
  if (approvals !== undefined) return client.call("conversation.rules", { rootId, approvals });
  if (compaction !== undefined) return client.call("conversation.rules", { rootId, compaction });
  return client.call("conversation.settings", {
    rootId,
    ...replies,
    ...(toolsOff === undefined ? {} : { toolsOff: toolsOff === null ? null : [...toolsOff] }),
    ...(fallbacks === undefined ? {} : { fallbacks: fallbacks === null ? null : [...fallbacks] }),
    ...(serverTools === undefined ? {} : { serverTools: serverTools === null ? null : [...serverTools] }),
  });
}

/** A conversation that begins with its first message: its settings until then. */
export class ConversationToCome {
  readonly #wish: Omit<ConversationWish, "title" | "approvals" | "compactAt">;
  #model: string | undefined;
  #settings: Settings;

  constructor(start: { readonly wish?: ConversationWish; readonly model?: string; readonly replies?: ReplyFlags }) {
    const { title, approvals, compactAt, ...wish } = start.wish ?? {};
    this.#wish = wish;
    this.#model = start.model;
    this.#settings = {
      ...start.replies,
      ...(title === undefined ? {} : { title }),
      ...(approvals === undefined ? {} : { approvals }),
      ...(compactAt === undefined ? {} : { compaction: { at: compactAt } }),
    };
  }

  get settings(): Settings {
    return this.#settings;
  }

  get model(): string | undefined {
    return this.#model;
  }

  set model(model: string | undefined) {
    this.#model = model;
  }

  change(change: SettingsChange): void {
    const next = Object.entries({ ...this.#settings, ...change }).filter(([, value]) => value !== null);
    this.#settings = Object.fromEntries(next);
  }

  begin(client: Pick<HeddleClient, "call">): Promise<Result<RootId, Refusal>> {
    const { compaction, toolsOff, fallbacks, serverTools, ...settings } = this.#settings;
    return beginConversation(client, {
      ...this.#wish,
      ...settings,
      ...(toolsOff === undefined ? {} : { toolsOff: [...toolsOff] }),
      ...(fallbacks === undefined ? {} : { fallbacks: [...fallbacks] }),
      ...(serverTools === undefined ? {} : { serverTools: [...serverTools] }),
      ...(compaction?.at === undefined ? {} : { compactAt: compaction.at }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
    });
  }
}

/** Changes the settings of a conversation, or of the one to come. */
export async function settle(
  { client, toCome }: { readonly client: Pick<HeddleClient, "call">; readonly toCome: ConversationToCome },
  rootId: RootId | null,
  change: SettingsChange,
): Promise<Result<unknown, Refusal>> {
  if (rootId !== null) return changeSettings(client, rootId, change);
  toCome.change(change);
  return ok({});
}
