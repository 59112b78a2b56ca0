/** Named settings for every request that does not override them while the preset is active. */
export interface Preset {
  readonly name: string;
  /** How many replies to request side by side. */
  readonly n?: number;
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/** All presets by name, and the name of the active one; null for none. */
export interface PresetList {
  readonly presets: readonly Preset[];
  readonly active: string | null;
}
