import type { HeddleClient } from "../../../client/base/types.ts";
import type { RootId } from "../../../core/base/ids.ts";

interface ListedModel {
  readonly id: string;
  readonly tools: boolean;
  readonly proposedSyntax: string | null;
}

/** Says which tool syntax a model's chat template was recognised to hold, and what to do with it; null for none. */
export function recognisedWords({ id, tools, proposedSyntax }: ListedModel): string | null {
  if (proposedSyntax === null) return null;
  return tools
    ? `The chat template of ${id} writes tool calls as ${proposedSyntax}. Its server reads them itself; where it does not, --tool-syntax ${proposedSyntax} does.`
    : `Tool calls of ${id} are read as ${proposedSyntax}, recognised by its chat template.`;
}

/** What `recognisedWords` says of the model that a conversation, or a new one, is answered by. */
export async function recognisedSyntax(
  client: Pick<HeddleClient, "call">,
  given: {
    readonly model: string | undefined;
    readonly rootId: RootId | null;
    readonly toolSyntax: string | undefined;
  },
): Promise<string | null> {
  if (given.toolSyntax !== undefined) return null;
  const root = given.rootId === null ? null : await client.call("conversation.find", { name: given.rootId });
  if (root?.ok === true && root.value.toolSyntax !== undefined) return null;
  const first = await client.call("models.list", {});
  const wanted =
    given.model ?? (root?.ok === true ? root.value.model : null) ?? (first.ok ? first.value.models[0]?.id : undefined);
  if (wanted === undefined || wanted === null) return null;
  const listed = await client.call("models.list", { model: wanted });
  const model = listed.ok ? listed.value.models.find(({ id }) => id === wanted) : undefined;
  return model === undefined ? null : recognisedWords(model);
}
