import { createContext, useContext } from "react";
import type { HeddleClient } from "../../../src/client/base/types.ts";
import { must } from "../../../src/core/base/assert.ts";
import type { Refusal } from "../../../src/core/base/errors.ts";
import type { CommandParams } from "../../../src/core/protocol/commands.ts";
import type { AuthorHues } from "../view/words/author-hue.ts";

/** Services for every part of the page. */
export interface AppServices {
  readonly client: HeddleClient;
  readonly hues: AuthorHues;
  /** Announces a sentence to screen readers, politely. */
  readonly announce: (sentence: string) => void;
  /** Shows a sentence for a while; a refusal with its code. */
  readonly tell: (message: string | Refusal, action?: ToastAction) => void;
  /** Closes the shown sentence where its action is about this thing, because somebody did it elsewhere. */
  readonly withdraw: (about: string) => void;
  /** Shows an owner what was done to a document or a conversation. */
  readonly showActivity: (on: ActivityThing) => void;
}

/** What has an activity of its own. */
export type ActivityThing = NonNullable<CommandParams<"audit.list">["on"]>;

/** What a shown sentence offers to do about it. */
export interface ToastAction {
  readonly label: string;
  /** The id of the thing that the action is about. */
  readonly about?: string;
  readonly run: () => void;
}

export const AppContext = createContext<AppServices | null>(null);

export function useApp(): AppServices {
  return must(useContext(AppContext), "the page is drawn inside its services");
}
