import { memo } from "react";
import type { WorkspaceView } from "../../../../src/client/base/types.ts";
import { Icon } from "../../ui/icons.tsx";
import { lockWords } from "../../ui/lock/lock-note.tsx";
import { useObservable } from "../../ui/use-observable.ts";
import { activePreset, type Presets, presetWords } from "../ask/presets.ts";
import type { ReplyCount } from "../kept/reply-count.ts";

/** Chooses the model that answers next. */
export const ModelPicker = memo(function ModelPicker(props: {
  readonly modelId: string;
  readonly models: WorkspaceView["models"];
  readonly onModel: (modelId: string) => void;
}) {
  const { modelId, models } = props;
  const isKnown = models.some((candidate) => candidate.id === modelId);
  return (
    <label className="model-picker">
      <span className="visually-hidden">Model</span>
      <select aria-label="Model" value={modelId} onChange={(event) => props.onModel(event.target.value)}>
        {!isKnown && <option value={modelId}>{modelId === "" ? "No model" : modelId}</option>}
        {models.map((candidate) => (
          <option key={candidate.id} value={candidate.id}>
            {candidate.name}
            {candidate.local ? " · local" : ""}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" size={13} />
    </label>
  );
});

const replyCounts = [1, 2, 3, 5, 10];

/** Chooses the number of parallel replies. */
export const ReplyCountPicker = memo(function ReplyCountPicker(props: {
  readonly replyCount: ReplyCount;
  readonly presets: Presets;
}) {
  const { replyCount, presets } = props;
  const count = useObservable(replyCount);
  const preset = activePreset(presets);
  const ownCount = preset?.n === undefined ? 1 : "preset";
  return (
    <label className="model-picker replies-picker" title="How many replies to ask for, side by side">
      <span className="visually-hidden">Replies</span>
      <select
        aria-label="Replies"
        value={count === null || count === preset?.n ? ownCount : count}
        onChange={(event) => replyCount.set(event.target.value === "preset" ? null : Number(event.target.value))}
      >
        {preset?.n !== undefined && <option value="preset">×{preset.n}</option>}
        {replyCounts
          .filter((each) => each !== preset?.n)
          .map((each) => (
            <option key={each} value={each}>
              ×{each}
            </option>
          ))}
      </select>
    </label>
  );
});

/** Chooses the active preset; renders nothing without presets. */
export const PresetPicker = memo(function PresetPicker({ presets }: { readonly presets: Presets }) {
  if (presets.presets.length === 0) return null;
  const preset = activePreset(presets);
  const said = preset === null ? "Preset" : `Preset: ${presetWords(preset)}`;
  const title = presets.lockedBy === undefined ? said : `${said}. ${lockWords(presets.lockedBy)}`;
  return (
    <label className="model-picker preset-picker" title={title}>
      <span className="visually-hidden">Preset</span>
      <select
        aria-label="Preset"
        disabled={presets.lockedBy !== undefined}
        value={presets.active ?? ""}
        onChange={(event) => void presets.activate(event.target.value === "" ? null : event.target.value)}
      >
        <option value="">No preset</option>
        {presets.presets.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" size={13} />
    </label>
  );
});
