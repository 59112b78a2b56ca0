import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";
import { editPolicies, type EditPolicy } from "../../../core/block/types.ts";
import { approvalTiers, thinkingLevels } from "../../../core/forest/run-rules.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import { requestError, wrongParams } from "./acp-refusal.ts";

const policyWords: Readonly<Record<EditPolicy, readonly [name: string, description: string]>> = {
  live: ["Live", "People and agents edit the canvas together; all edits merge."],
  lease: ["Lease", "Nobody else types in the canvas while an agent works on it."],
  suggest: ["Suggest", "An agent's edits of the canvas wait until a person keeps them."],
};

const tierWords = {
  all: "Ask before every call",
  writes: "Ask before calls that write",
  outward: "Ask before calls that reach outside",
  none: "Never ask",
} as const satisfies Record<(typeof approvalTiers)[number], string>;

const levelWords = {
  off: "No thinking",
  low: "Think a little",
  medium: "Think",
  high: "Think hard",
} as const satisfies Record<(typeof thinkingLevels)[number], string>;

/** The value of a setting that the server's own applies to. */
const asServer = "server";
const approvalsId = "_heddle_approvals";

/** What a session's options are made of. */
interface OptionsState {
  readonly root: ForestRoot;
  readonly policy: EditPolicy;
  readonly models: readonly { readonly id: string; readonly name: string }[];
}

export function modesOf({ policy }: Pick<OptionsState, "policy">): SessionModeState {
  return {
    currentModeId: policy,
    availableModes: editPolicies.map((id) => ({ id, name: policyWords[id][0], description: policyWords[id][1] })),
  };
}

export function configOptions({ root, policy, models }: OptionsState): SessionConfigOption[] {
  const known = models.some(({ id }) => id === root.model) ? models : [{ id: root.model, name: root.model }, ...models];
  return [
    {
      type: "select",
      id: "mode",
      name: "Canvas",
      description: "How people and agents share the canvas of this conversation.",
      category: "mode",
      currentValue: policy,
      options: editPolicies.map((value) => ({
        value,
        name: policyWords[value][0],
        description: policyWords[value][1],
      })),
    },
    {
      type: "select",
      id: approvalsId,
      name: "Approvals",
      description: "Which calls need a person's approval here.",
      currentValue: root.approvals ?? asServer,
      options: [
        { value: asServer, name: "As the server is set" },
        ...approvalTiers.map((value) => ({ value, name: tierWords[value] })),
      ],
    },
    {
      type: "select",
      id: "model",
      name: "Model",
      description: "The model that answers, from the next message on.",
      category: "model",
      currentValue: root.model,
      options: known.map(({ id, name }) => ({ value: id, name })),
    },
    {
      type: "select",
      id: "thought_level",
      name: "Thinking",
      description: "How much models think before they answer, where they can.",
      category: "thought_level",
      currentValue: root.replies?.thinking ?? asServer,
      options: [
        { value: asServer, name: "As the server is set" },
        ...thinkingLevels.map((value) => ({ value, name: levelWords[value] })),
      ],
    },
  ];
}

/** Carries an option out; the canvas's policy is set by `setPolicy`. Throws the protocol's error where it is refused. */
export async function setOption(
  {
    client,
    root,
    setPolicy,
  }: { client: HeddleClient; root: ForestRoot; setPolicy: (policy: EditPolicy) => Promise<void> },
  { configId, value }: { readonly configId: string; readonly value: unknown },
): Promise<void> {
  const rootId = root.id;
  const chosen = <Value extends string>(values: readonly Value[]): Value => {
    const found = values.find((each) => each === value);
    if (found === undefined)
      throw wrongParams("value", `"${configId}" takes ${values.join(", ")}. Nothing was changed.`);
    return found;
  };
  const done = await setting();
  if (done !== null && !done.ok) throw requestError(done.error);

  async function setting() {
    switch (configId) {
      case "mode":
        await setPolicy(chosen(editPolicies));
        return null;
      case approvalsId: {
        const tier = chosen([asServer, ...approvalTiers]);
        return client.call("conversation.rules", { rootId, approvals: tier === asServer ? null : tier });
      }
      case "model":
        if (typeof value !== "string" || !/^[^\s/]{1,100}\/\S{1,200}$/u.test(value)) {
          throw wrongParams("value", 'A model is named "provider/model". Nothing was changed.');
        }
        return client.call("conversation.set-model", { rootId, model: value });
      case "thought_level": {
        const level = chosen([asServer, ...thinkingLevels]);
        return client.call("conversation.settings", { rootId, thinking: level === asServer ? null : level });
      }
      default:
        throw wrongParams("configId", `There is no option "${configId}". The session's options list them.`);
    }
  }
}
