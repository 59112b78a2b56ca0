/** What is told of a provider's key: never the key itself. */
export type KeyState =
  | { readonly state: "none" }
  | { readonly state: "not-needed" }
  /** There is a key, for another address than the provider has now. */
  | { readonly state: "other-address" }
  | {
      readonly state: "set";
      readonly from: "environment" | "file" | "app";
      /** Its last characters; null where it is too short to show any. */
      readonly ending: string | null;
    };

/** A provider as a person sees it in the settings. */
export interface ProviderState {
  readonly id: string;
  readonly name: string;
  /** Whether its models can be used now. */
  readonly open: boolean;
  readonly address: string;
  readonly key: KeyState;
  readonly models: readonly { readonly id: string; readonly name: string }[];
}
