/** What clients may know about a provider's key: never the key itself. */
export type KeyState =
  | { readonly state: "none" }
  | { readonly state: "not-needed" }
  /** There is a key, but for another address than the provider's current one. */
  | { readonly state: "other-address" }
  | {
      readonly state: "set";
      readonly from: "environment" | "file" | "app";
      /** The last characters of the key; null if it is too short to show any. */
      readonly ending: string | null;
    };

/** A provider as the settings show it. */
export interface ProviderState {
  readonly id: string;
  readonly name: string;
  /** Whether its models can be used now. */
  readonly open: boolean;
  readonly address: string;
  /** Who named the address; only one that a person set in the app can be changed back there. */
  readonly addressFrom: "heddle" | "environment" | "file" | "app";
  /** Whether a person added the provider in the app, and can remove it there. */
  readonly added: boolean;
  /** Whether a person chose in the app which of its models are offered. */
  readonly chosen: boolean;
  readonly key: KeyState;
  readonly models: readonly {
    readonly id: string;
    readonly name: string;
    /** Total window in tokens; null when unknown. */
    readonly window: number | null;
    /** Whether a person set the window in the app. */
    readonly windowSet: boolean;
  }[];
}
