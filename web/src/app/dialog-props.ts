import type { Commands } from "../navigation/use-commands.ts";
import type { PageProps } from "./page-panes.tsx";

/** What the dialogs of the page are given. */
export type DialogProps = PageProps & {
  readonly commands: Commands;
  /** The person's name. */
  readonly name: string;
  /** Whether the page is connected. */
  readonly live: boolean;
};
