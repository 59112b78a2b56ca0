import type { HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { GroupId, PersonId } from "../../../core/base/ids.ts";
import { nearestWord } from "../../../core/base/nearest-word.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { CommandParams } from "../../../core/protocol/commands.ts";
import { safeLine } from "../base/safe-text.ts";

/** A person, a group, or everyone in the workspace, with the name by which people know it. */
interface NamedSubject {
  readonly to: CommandParams<"share.give">["to"];
  readonly id: string;
  readonly name: string;
}

/** Finds who is meant: a person or a group by name or id, or everyone. */
export async function findSubject(client: HeddleClient, who: string): Promise<Result<NamedSubject, Refusal>> {
  if (who === "everyone") return ok({ to: { type: "everyone" }, id: who, name: who });
  const [people, groups] = await Promise.all([client.call("person.list", {}), client.call("group.list", {})]);
  if (!people.ok) return people;
  if (!groups.ok) return groups;
  const known: readonly NamedSubject[] = [
    ...people.value.people.map(({ personId, name }) => ({
      to: { type: "person", id: personId as PersonId } as const,
      id: personId,
      name,
    })),
    ...groups.value.groups.map(({ groupId, name }) => ({
      to: { type: "group", id: groupId as GroupId } as const,
      id: groupId,
      name,
    })),
  ];
  const named = known.filter(({ id, name }) => id === who || name === who);
  const [subject, ...others] = named;
  if (subject !== undefined && others.length === 0) return ok(subject);
  if (subject !== undefined) {
    const ids = named.map(({ id }) => id).join(", ");
    const message = `${named.length} people or groups have the name ${who}. Nothing was changed; give one of their ids: ${ids}.`;
    return err(refusal("INVALID_PARAMS", { who }, safeLine(message)));
  }
  const names = new Map([...known.map(({ name }) => name), "everyone"].map((name) => [name.toLowerCase(), name]));
  const near = nearestWord(who.toLowerCase(), [...names.keys()]);
  const hint = near === undefined ? "" : ` Did you mean ${names.get(near) ?? near}?`;
  const message = `Nobody and no group that you may see has the name ${who}. Nothing was changed.${hint}`;
  return err(refusal("NOT_FOUND", { who }, safeLine(message)));
}
