/** Settings under a name, for every request that says nothing else while the preset is the active one. */
export interface Preset {
  readonly name: string;
  /** How many replies are asked for side by side. */
  readonly n?: number;
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/** All presets by name, and the active one; null for none. */
export interface PresetList {
  readonly presets: readonly Preset[];
  readonly active: string | null;
}
